import 'reflect-metadata';
import { runSecret } from './run';

const io = {
  out: (line: string): void => void process.stdout.write(`${line}\n`),
  note: (line: string): void => void process.stderr.write(`${line}\n`),
};

void runSecret(process.argv.slice(2), process.env, io).then((code) => {
  process.exitCode = code;
});
