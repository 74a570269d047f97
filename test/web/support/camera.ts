import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'qrcode';

const WIDTH = 640;
const HEIGHT = 480;
const SPOT = 8;
const [BLACK, WHITE, GREY] = [16, 235, 128];

/** A fake camera that films a sheet of paper; set what is on it before it is switched on. */
export class FilmedPaper {
  readonly #directory = mkdtempSync(join(tmpdir(), 'svc-camera-'));
  readonly #file = join(this.#directory, 'paper.y4m');

  /** Command-line arguments for the browser. */
  readonly args: readonly string[] = [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${this.#file}`,
  ];

  constructor() {
    this.#film(() => false);
  }

  /** A QR code, as a terminal or a page would show it. */
  show(text: string): void {
    const { modules } = create(text, { errorCorrectionLevel: 'M' });
    const [left, top] = [WIDTH, HEIGHT].map((side) => Math.floor((side - modules.size * SPOT) / 2)) as [number, number];
    this.#film((x, y) => {
      const [column, row] = [Math.floor((x - left) / SPOT), Math.floor((y - top) / SPOT)];
      const isInside = column >= 0 && row >= 0 && column < modules.size && row < modules.size;
      return isInside && modules.get(row, column) !== 0;
    });
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Two frames in the simplest video format, which the browser repeats. */
  #film(isBlack: (x: number, y: number) => boolean): void {
    const light = Buffer.alloc(WIDTH * HEIGHT);
    for (let at = 0; at < light.length; at += 1) {
      light[at] = isBlack(at % WIDTH, Math.floor(at / WIDTH)) ? BLACK : WHITE;
    }
    const colour = Buffer.alloc((WIDTH * HEIGHT) / 2, GREY);
    const frame = Buffer.concat([Buffer.from('FRAME\n'), light, colour]);
    const head = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420mpeg2\n`);
    writeFileSync(this.#file, Buffer.concat([head, frame, frame]));
  }
}
