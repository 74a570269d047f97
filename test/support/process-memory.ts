import { readFileSync } from 'node:fs';
import { type ServiceProcess } from './child';

/** Megabytes of its own; what the embedded stores map into memory is a file and counts as such. */
export function memoryOf({ child }: Pick<ServiceProcess, 'child'>): number {
  const [, kilobytes] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
