import { readFileSync } from 'node:fs';

/** Changes whenever the machine reboots; undefined where the kernel does not expose it. */
export function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
