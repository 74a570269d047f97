// A program: starts the service and stops it, so that its compiled code and that of the other programs is kept for the
// processes that tests start.
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const build = (file) => join(__dirname, '../../dist/src', file);
require(build('app/compile-cache.js'));
const dataDir = mkdtempSync(join(tmpdir(), 'svc-compiled-'));
Object.assign(process.env, { DATA_DIR: dataDir, PORT: '0', BASE_URL: 'http://svc.test', LOG_LEVEL: 'silent' });

process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));
process.stdout.write = (text) => {
  // The service is up; a graceful stop also makes sure that its thread has started.
  if (String(text).includes('svc listens on')) process.kill(process.pid, 'SIGTERM');
  return true;
};
for (const file of ['audit/cli/run.js', 'app/secret/run.js', 'app/reactions/run.js']) require(build(file));
for (const file of ['event-store/eventstoredb/eventstoredb-store.js', 'read-model/mongodb/connection.js'])
  require(build(join('platform', file)));
require(build('main.js'));
