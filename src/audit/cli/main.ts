import 'reflect-metadata';
import { onlyPrints, runAudit } from './run';
import { standardIo } from './standard-io';

const args = process.argv.slice(2);

void runAudit(args, process.env, standardIo(onlyPrints(args))).then((code) => {
  process.exitCode = code;
});
