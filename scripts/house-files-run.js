// Prints how many files of src and projections run during one create of a payment request and during one webhook's
// retry, as JSON. Counted by V8: a file runs if a function of it is called.
const { Session } = require('node:inspector/promises');
const { join } = require('node:path');
const { startTestService } = require('../test/support/service');
const { createPayment, setPaymentScene, startPaymentDns } = require('../test/support/payments');
const { activeEndpoint, answering, startWebhookReceiver } = require('../test/support/webhook-receiver');

const OURS = new RegExp(`^(?:file://)?${join(__dirname, '..')}/(?:src|projections)/.*\\.ts$`);

/** The files run since it was last asked. */
async function filesRun(session) {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const called = ({ functions }) => functions.some(({ ranges: [whole] }) => whole.count > 0);
  return new Set(result.filter((script) => OURS.test(script.url) && called(script)).map(({ url }) => url));
}

async function main() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

  const { dns, env } = await startPaymentDns();
  const service = await startTestService({ env: { ...env, ALLOW_PRIVATE_NETWORKS: 'true' } });
  const receiver = await startWebhookReceiver();
  const scene = await setPaymentScene(service, dns);
  // The first one is slower and runs what is only prepared once.
  await createPayment(service, scene);
  await filesRun(session);
  await createPayment(service, scene);
  const create = await filesRun(session);

  // A retry comes by itself five seconds after the first attempt: nothing else happens then.
  await activeEndpoint(service, scene.merchant, receiver.url);
  receiver.behave(answering(500));
  await createPayment(service, scene);
  await receiver.until(() => receiver.received.length === 1);
  receiver.behave(answering(204));
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await filesRun(session);
  await receiver.until(() => receiver.received.length === 2);
  await new Promise((resolve) => setTimeout(resolve, 500)); // until it is recorded
  const delivery = await filesRun(session);

  process.stdout.write(
    JSON.stringify({ 'run by a create, embedded': create.size, 'run by a delivery, embedded': delivery.size }),
  );
  if (process.argv.includes('--names'))
    process.stderr.write(`${[...create].sort().join('\n')}\n\n${[...delivery].sort().join('\n')}\n`);
  await receiver.close();
  await service.stopAndForget();
  await dns.close();
}

void main();
