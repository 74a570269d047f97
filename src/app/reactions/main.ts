import 'reflect-metadata';
import { runReactions } from './run';

const io = {
  out: (line: string): void => void process.stdout.write(`${line}\n`),
  note: (line: string): void => void process.stderr.write(`${line}\n`),
};

void runReactions(process.argv.slice(2), process.env, io).then((code) => {
  process.exitCode = code;
});
