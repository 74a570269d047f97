// A program: starts the service, and keeps what V8 has compiled of it and of the other programs for the processes that tests start.
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { remember } = require('./compile-cache.js');

const build = (file) => join(__dirname, '../../dist/src', file);
const compiled = remember();
const dataDir = mkdtempSync(join(tmpdir(), 'svc-compiled-'));
Object.assign(process.env, { DATA_DIR: dataDir, PORT: '0', BASE_URL: 'http://svc.test', LOG_LEVEL: 'silent' });

process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));
process.stdout.write = (text) => {
  if (!String(text).includes('svc listens on')) return true;
  // After the service has taken back what it set of V8, see src/app/heap-growth.ts: so it is told last.
  process.on('exit', () => compiled.write());
  // It serves, and its thread has started once it stops in order.
  process.kill(process.pid, 'SIGTERM');
  return true;
};
for (const file of ['audit/cli/run.js', 'app/secret/run.js', 'app/reactions/run.js']) require(build(file));
for (const file of ['event-store/eventstoredb/eventstoredb-store.js', 'read-model/mongodb/connection.js'])
  require(build(join('platform', file)));
require(build('main.js'));
