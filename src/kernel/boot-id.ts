import { readFileSync } from 'node:fs';

/** Changes whenever the machine is started anew; undefined where the kernel does not tell. */
export function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
