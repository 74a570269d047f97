import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess } from './child';

export type SmallDisk = Readonly<{
  directory: string;
  fill(service: ServiceProcess): void;
  clear(service: ServiceProcess): void;
}>;

const SIZE = '16m';

/**
 * A file system of a few megabytes for each test that asks for one. Where mounting is not allowed, the service's files
 * may not grow instead, which has much the same effect on it.
 */
export function smallDisks(): () => SmallDisk {
  const made: string[] = [];
  afterEach(() => {
    for (const place of made.splice(0)) {
      spawnSync('umount', ['--lazy', place]);
      rmSync(place, { recursive: true, force: true });
    }
  });
  return () => {
    const place = mkdtempSync(join(tmpdir(), 'svc-disk-'));
    made.push(place);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', place]).status === 0;
    const directory = join(place, 'data');
    mkdirSync(directory);
    const ballast = join(place, 'ballast');
    return {
      directory,
      fill: (service) => (mounted ? fillWith(ballast) : letFilesGrowTo(service, '4096')),
      clear: (service) => (mounted ? rmSync(ballast) : letFilesGrowTo(service, 'unlimited')),
    };
  };
}

function fillWith(ballast: string): void {
  const file = openSync(ballast, 'w');
  const page = Buffer.alloc(4096);
  try {
    for (;;) writeSync(file, page);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

function letFilesGrowTo({ child }: ServiceProcess, bytes: string): void {
  const { status } = spawnSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:`]);
  if (status !== 0) throw new Error('neither mount nor prlimit (of util-linux) can make a disk full');
}
