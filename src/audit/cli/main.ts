import 'reflect-metadata';
import { runAudit } from './run';

const io = {
  out: (line: string): void => void process.stdout.write(`${line}\n`),
  note: (line: string): void => void process.stderr.write(`${line}\n`),
};

/** A reader that has seen enough, such as head, is not a failure. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 3));

void runAudit(process.argv.slice(2), process.env, io).then((code) => {
  process.exitCode = code;
});
