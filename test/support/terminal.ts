import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

/** How terminals pass on pasted text: as a bracketed paste, or as if typed. */
export type Pasting = 'marked' | 'typed';

export type Terminal = Readonly<{
  /** Pastes a block, presses Enter, and returns what the terminal showed until the block was done. */
  paste(block: string, how: Pasting): Promise<string>;
  end(): Promise<void>;
}>;

/** An interactive bash in its own terminal, like that of a page's reader; `script` provides the terminal. */
export function startTerminal(env: Readonly<Record<string, string>>): Terminal {
  const child = spawn('script', ['--quiet', '--flush', '--command', 'bash --noprofile --norc -i', '/dev/null'], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', TERM: 'xterm', HISTFILE: '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let shown = '';
  let pasted = 0;
  const waiting = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    waiting.forEach((check) => check());
  });
  const until = (mark: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (!shown.includes(mark)) return;
        waiting.delete(check);
        resolve(shown.slice(0, shown.indexOf(mark)));
        shown = shown.slice(shown.indexOf(mark) + mark.length);
      };
      waiting.add(check);
      void ended.then(() => reject(new Error(`the shell ended: ${shown}`)));
      check();
    });
  return {
    paste(block, how) {
      pasted += 1;
      child.stdin.write(how === 'marked' ? `\x1b[200~${block}\x1b[201~\n` : `${block}\n`);
      // Written in two parts, so that the echoed command line does not contain the mark itself.
      child.stdin.write(`echo '::done' ${pasted}::\n`);
      return until(`::done ${pasted}::`);
    },
    async end() {
      child.stdin.write('exit\n');
      await ended;
    },
  };
}
