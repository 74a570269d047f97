import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

/** How terminals hand over what is pasted: marked as one piece, or as if it were typed. */
export type Pasting = 'marked' | 'typed';

export type Terminal = Readonly<{
  /** Pastes a block, presses enter, and gives what the terminal showed until the block was done. */
  paste(block: string, how: Pasting): Promise<string>;
  end(): Promise<void>;
}>;

/** An interactive bash in a terminal of its own, as a reader of a page has one; `script` makes the terminal. */
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
      // Written apart, so that the line that asks for the mark does not hold it.
      child.stdin.write(`echo '::done' ${pasted}::\n`);
      return until(`::done ${pasted}::`);
    },
    async end() {
      child.stdin.write('exit\n');
      await ended;
    },
  };
}
