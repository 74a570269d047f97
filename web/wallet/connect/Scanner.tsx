import { useEffect, useRef, useState } from 'react';
import { Notice } from '../../ui/Layout.tsx';
import styles from './Scanner.module.css';

type Detector = Readonly<{ detect(source: HTMLVideoElement): Promise<readonly Readonly<{ rawValue: string }>[]> }>;
type Detectors = new (options: { formats: readonly string[] }) => Detector;

const detectors = (): Detectors | undefined => (window as { BarcodeDetector?: Detectors }).BarcodeDetector;

/** Where the browser can read QR codes itself; elsewhere people type. */
export const canScan = (): boolean =>
  detectors() !== undefined && (navigator as { mediaDevices?: MediaDevices }).mediaDevices !== undefined;

const LOOK_EVERY_MS = 250;

export function Scanner({ onText }: Readonly<{ onText: (text: string) => void }>) {
  const video = useRef<HTMLVideoElement>(null);
  const found = useRef(onText);
  found.current = onText;
  const [isRefused, setRefused] = useState(false);

  useEffect(() => {
    const Detector = detectors();
    if (Detector === undefined) return setRefused(true);
    let timer: ReturnType<typeof setInterval> | undefined;
    let stream: MediaStream | undefined;
    let isOver = false;
    const start = async (): Promise<void> => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      if (isOver || video.current === null) return stop();
      video.current.srcObject = stream;
      await video.current.play();
      const detector = new Detector({ formats: ['qr_code'] });
      timer = setInterval(() => void look(detector), LOOK_EVERY_MS);
    };
    const look = async (detector: Detector): Promise<void> => {
      if (video.current === null) return;
      const [code] = await detector.detect(video.current).catch(() => []);
      if (code !== undefined && !isOver) found.current(code.rawValue);
    };
    const stop = (): void => {
      clearInterval(timer);
      stream?.getTracks().forEach((track) => track.stop());
    };
    start().catch(() => setRefused(true));
    return () => {
      isOver = true;
      stop();
    };
  }, []);

  if (isRefused) return <Notice tone="warn">The camera is not available. Type the code instead.</Notice>;
  return <video ref={video} className={styles['video']} muted playsInline aria-label="What the camera sees" />;
}
