import 'reflect-metadata';
import { standardIo } from '../../audit/cli/standard-io';
import { runReactions } from './run';

void runReactions(process.argv.slice(2), process.env, standardIo()).then((code) => {
  process.exitCode = code;
});
