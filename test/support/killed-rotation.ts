import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { processes } from './child';

type Settings = Readonly<Record<string, string>>;
/** Before the step with this number, or after an append to this stream. */
type Death = Readonly<{ DIE_AT: string } | { DIE_AFTER_APPEND_TO: string }>;

const root = join(__dirname, '../..');

/** Runs `secret rotate` in a process that kills itself; returns null if it was killed. */
export async function rotateUntil(death: Death, settings: Settings): Promise<number | null> {
  const args = ['-r', join(root, 'test/support/register-swc.js'), join(root, 'test/support/dying-rotation.ts')];
  const env = { PATH: process.env['PATH'] ?? '', ...settings, ...death };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [code, told] = await Promise.all([ended, text(child.stderr)]);
  processes.push(() => told);
  if (code !== null && code !== 0) throw new Error(`ended with ${code}: ${told}`);
  return code;
}
