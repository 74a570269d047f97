import { setFlagsFromString } from 'node:v8';

/** In percent of what is alive; 0 leaves it to V8. */
const growBy = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`);

/**
 * How much garbage may pile up before V8 collects it. By itself V8 lets it grow to four times what is alive where the machine has much
 * memory, so that the service takes twice what it needs. To collect more often costs little while it serves, and much while everything
 * is being loaded: so this is for one that has started, and for all of its threads.
 */
export function boundGarbage(): void {
  growBy(40);
  // What V8 has compiled is kept at the end, and is of no use to a process that begins with another setting.
  process.once('exit', () => growBy(0));
}
