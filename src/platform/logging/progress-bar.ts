import { type Position } from '../event-store/event-store.port';

const WIDTH = 30;

/** A progress bar on a terminal; elsewhere one line at the end, so that logs stay readable. */
export function progressBar(label: string) {
  const { stderr } = process;
  const started = Date.now();
  let shown = 0;
  return {
    show(count: number, position: Position, end: Position): void {
      if (!stderr.isTTY || Date.now() - shown < 100) return;
      shown = Date.now();
      const share = end === 0n ? 1 : Math.min(1, Number((position * 1000n) / end) / 1000);
      const filled = Math.round(share * WIDTH);
      const rate = Math.round(count / Math.max(0.001, (Date.now() - started) / 1000));
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
      stderr.write(`\r${label} ${bar} ${(share * 100).toFixed(1)} %  ${count} events, ${rate}/s `);
    },
    done(summary: string): void {
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      stderr.write(`${stderr.isTTY ? '\r\x1b[K' : ''}${label}: ${summary} in ${seconds} s\n`);
    },
  };
}
