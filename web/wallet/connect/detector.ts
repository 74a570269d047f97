type Detected = Readonly<{ rawValue: string }>;
export type Detector = Readonly<{ detect(source: HTMLVideoElement): Promise<readonly Detected[]> }>;
type Detectors = new (options: { formats: ['qr_code'] }) => Detector;

/** The browser's own detector if it has one; most have none, and load the library's when it is needed. */
export async function newDetector(): Promise<Detector> {
  const own = (window as { BarcodeDetector?: Detectors }).BarcodeDetector;
  const Detector = own ?? (await import('qr/decode.js')).BarcodeDetector;
  return new Detector({ formats: ['qr_code'] });
}

/** Pages served neither over https nor from localhost have no camera; there people type the code. */
export const canScan = (): boolean => (navigator as { mediaDevices?: MediaDevices }).mediaDevices !== undefined;
