import { type EventEmitter } from 'node:events';
import { type Logger, symbols } from 'pino';
import { createLogger } from './logger';

type Output = EventEmitter & Readonly<{ destroy(): void }>;
type Ended = (error: Error | null, written: number) => void;

/** The module's own object, on which the library looks the function up. */
const fs = jest.requireActual<{ write: (...asked: unknown[]) => void }>('fs');

describe('the log on a standard output that nobody reads for a while', () => {
  let logger: Logger;
  let output: Output;
  /** Writes that have begun and not ended. */
  let writes: Readonly<{ text: string; end: () => void }>[];
  let written: string;
  beforeEach(() => {
    jest.useFakeTimers();
    writes = [];
    written = '';
    jest.spyOn(fs, 'write').mockImplementation((...asked) => {
      const text = String(asked[1]);
      const end = (): void => {
        written += text;
        (asked.at(-1) as Ended)(null, Buffer.byteLength(text));
      };
      writes.push({ text, end });
    });
    logger = createLogger('info');
    output = (logger as unknown as Record<symbol, Output>)[symbols.streamSym] as Output;
  });
  afterEach(() => {
    output.destroy();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
  const readAll = (): void => {
    for (let next = writes.shift(); next !== undefined; next = writes.shift()) next.end();
  };

  it('writes every line once it is read again, and has not gathered listeners meanwhile', () => {
    const before = output.listenerCount('drain');
    for (let line = 0; line < 50; line += 1) {
      logger.info(`line ${line}.`);
      jest.advanceTimersByTime(250);
    }
    expect(writes).toHaveLength(1);
    expect(output.listenerCount('drain') - before).toBeLessThanOrEqual(1);

    readAll();
    for (let line = 0; line < 50; line += 1) expect(written.split(`line ${line}.`)).toHaveLength(2);
  });

  it('leaves no timer and no write behind when all lines are written', () => {
    logger.info('one');
    jest.advanceTimersByTime(250);
    readAll();
    expect(written).toContain('one');
    jest.advanceTimersByTime(60_000);
    expect([jest.getTimerCount(), writes.length]).toEqual([0, 0]);
  });
});
