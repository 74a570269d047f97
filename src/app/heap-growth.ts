import { setFlagsFromString } from 'node:v8';

/** In percent of the live heap; 0 leaves it to V8. */
const growBy = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`);

/**
 * How much garbage may accumulate before V8 collects it. On a machine with much memory, V8 lets the heap grow to four
 * times its live size, so the service takes twice what it needs. Collecting more often costs little while serving and
 * much while loading: so call this after startup. It applies to all threads.
 */
export function boundGarbage(): void {
  growBy(40);
  // The compile cache is written at exit, and is useless to a process that starts with a different setting.
  process.prependOnceListener('exit', () => growBy(0));
}
