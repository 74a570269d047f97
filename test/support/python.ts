import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const INSTALL = join(__dirname, '../../scripts/python-packages.sh');

/** Installs the pinned packages in a virtual environment, once per version of the pins. Returns its bin folder. */
export function pythonPrograms(home: string, requirements: string): string {
  const pins = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const place = join(home, `venv-${pins}`);
  const marker = join(place, 'complete');
  const programs = join(place, 'bin');
  if (existsSync(marker)) return programs;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  mustRun(INSTALL, [place, '--no-deps', '--requirement', requirements]);
  writeFileSync(marker, '');
  return programs;
}

export const hasPython = (): boolean =>
  spawnSync('python3', ['-m', 'venv', '--help'], { stdio: 'ignore' }).status === 0;

function mustRun(command: string, args: readonly string[]): void {
  const { error, status } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) throw new Error(`${command} is needed and could not be run: ${error.message}`);
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 3).join(' ')} ended with ${status}`);
}
