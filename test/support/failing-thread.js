// Loaded before the service, in each of its threads: the one that sends webhooks fails when a file exists.
const { existsSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const fail = () => {
  if (existsSync(process.env.FAIL_WHEN)) throw new Error('told to fail');
};
if (!isMainThread) setInterval(fail, 20).unref();
