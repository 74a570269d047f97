import { readFileSync } from 'node:fs';
import { type ServiceProcess } from './child';

/** Anonymous memory in megabytes; the files that the embedded stores map into memory do not count. */
export function memoryOf({ child }: Pick<ServiceProcess, 'child'>): number {
  const [, kilobytes] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
