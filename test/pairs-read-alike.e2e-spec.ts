import { READ_MODEL_STORE, type ReadModelStore } from '../src/platform/read-model/read-model.port';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair, type Start } from './support/pairs';
import { startPaymentDns } from './support/payments';
import { liveThroughAll, SteppingClock } from './support/rich-history';
import { startTestService } from './support/service';
import { startWebhookReceiver } from './support/webhook-receiver';

/** What differs from run to run: ids become numbers in the order in which they are read. */
function normal(text: string): string {
  const ids = new Map<string, string>();
  return text
    .replace(/\b([a-z]{2,3})_[0-9A-HJKMNP-TV-Z]{26}/g, (id, prefix: string) => {
      ids.set(id, ids.get(id) ?? `${prefix}_${ids.size}`);
      return ids.get(id) ?? '';
    })
    .replace(/"(next_cursor|evidence_digest|public_key|url|prefix|request_id)":"[^"]*"/g, '"$1":"…"')
    .replace(/"duration_ms":\d+/g, '"duration_ms":0')
    .replace(/(operator-|Shop |shop-)\d+/g, '$1…');
}

describeOnEachPair('one history', (start, pair) => {
  /** Every read of it, before and after all reads were rebuilt from the log. */
  const dumped = async (startOn: Start): Promise<readonly [before: string, after: string]> => {
    const [{ dns, env }, receiver, clock] = [
      await startPaymentDns(),
      await startWebhookReceiver(),
      new SteppingClock(),
    ];
    const options = { env: { ...env, ALLOW_PRIVATE_NETWORKS: 'true' }, clock };
    let service = await startOn(options);
    const reads = await liveThroughAll({ service, dns, receiver, clock });
    const dump = async (): Promise<string> => {
      const answers: string[] = [];
      for (const [path, headers] of reads) {
        const { status, text } = await call(`${service.url}${path}`, { headers });
        answers.push(`${path} ${status} ${text}`);
      }
      return normal(answers.join('\n'));
    };
    const before = await dump();
    await service.app.get<ReadModelStore>(READ_MODEL_STORE).reset('built by nobody we know');
    await service.stop();
    service = await startOn({ ...options, dataDir: service.dataDir });
    await eventually(
      () => call(`${service.url}/health/ready`),
      ({ status }) => status === 200,
      'reads of everything',
    );
    const after = await dump();
    await service.stopAndForget();
    await receiver.close();
    await dns.close();
    return [before, after];
  };

  it('reads the same after a rebuild, whichever stores it is in', async () => {
    const [before, after] = await dumped(start);
    expect(before.split('\n').filter((line) => / 200 /.test(line)).length).toBeGreaterThan(75);
    expect(after).toBe(before);
    if (pair === 'engines') expect(before).toBe((await dumped(startTestService))[0]);
  }, 120_000);
});
