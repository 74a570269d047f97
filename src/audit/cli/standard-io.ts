import { EXIT } from './audit-call';
import { type Io } from './program';

/**
 * Standard output and standard error. A reader that has seen enough, such as head, is not a failure: what has begun is
 * finished and ends with its own exit code. Only a command that does nothing but print has nothing left to do.
 */
export function standardIo(onlyPrints = false): Io {
  const { stdout, stderr } = process;
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') process.exit(EXIT.unreadable);
    if (onlyPrints) process.exit(EXIT.fine);
  });
  // A closed stderr, as with 2>&1, must not abort the command.
  stderr.on('error', () => undefined);
  return {
    out: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
  };
}
