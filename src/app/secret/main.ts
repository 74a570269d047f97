import 'reflect-metadata';
import { standardIo } from '../../audit/cli/standard-io';
import { runSecret } from './run';

void runSecret(process.argv.slice(2), process.env, standardIo()).then((code) => {
  process.exitCode = code;
});
