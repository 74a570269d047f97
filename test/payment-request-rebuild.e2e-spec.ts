import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { projections } from '../projections';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { systemClock } from '../src/kernel/clock';
import { openEmbeddedReadModel } from '../src/platform/read-model/embedded/open';
import { Projector } from '../src/platform/projecting/projector';
import { figure, progress, sizeFrom, timeLimit } from './support/figures';
import {
  connectAnotherWallet,
  createPayment,
  pollEvents,
  reportPayment,
  setPaymentScene,
  startPaymentDns,
} from './support/payments';
import { startTestService } from './support/service';

/** 2000 in a full-size run. */
const PAYMENTS = sizeFrom('CHAOS_PAYMENTS', 40);
const AT_ONCE = 40;

describe('the read model of payment requests', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-rebuild-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  /** Every document of every collection, before and after a rebuild. */
  const dumpAndRebuild = async (): Promise<[string, string]> => {
    const store = await openEmbeddedEventStore(join(dataDir, 'events'));
    const model = await openEmbeddedReadModel(join(dataDir, 'read-model'));
    const digest = async (): Promise<string> => {
      const hash = createHash('sha256');
      for (const collection of projections.flatMap(({ collections }) => collections)) {
        for await (const { document, position } of model.dump(collection)) {
          hash.update(`${collection.name} ${position} ${canonicalize(document)}\n`);
        }
      }
      return hash.digest('hex');
    };
    const before = await digest();
    const quiet = { info: () => undefined, warn: () => undefined };
    await new Projector(store, model, projections, systemClock, quiet).rebuild(() => undefined);
    const after = await digest();
    await model.close();
    await store.close();
    return [before, after];
  };

  it(
    'is identical when it is rebuilt, including cursors',
    async () => {
      const { dns, env } = await startPaymentDns();
      const service = await startTestService({ env, dataDir });
      const scene = await setPaymentScene(service, dns);
      const other = await connectAnotherWallet(service, scene);
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < PAYMENTS) {
          const index = next++;
          progress(next, PAYMENTS);
          const by = index % 3 === 0 ? other : scene;
          const names = index % 4 === 0 ? { request_id: `r-${index}`, idempotency_key: `k-${index}` } : {};
          const { body } = await createPayment(service, by, { metadata: { 'a.b': { $index: index } }, ...names });
          const id = body.payment_request.request_id as string;
          if (index % 2 === 0) await reportPayment(service, by, id, { status: 'signed' });
          if (index % 4 === 0) await reportPayment(service, by, id, { status: 'failed', reason: 'reverted' });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      const feeds = [await pollEvents(service, scene, 'limit=200'), await pollEvents(service, other, 'limit=200')];
      await service.stop();

      const [before, after] = await dumpAndRebuild();
      figure({
        promise: 'rebuilt documents are the same',
        tried: PAYMENTS,
        lost: after === before ? 0 : 1,
        doubled: 0,
      });
      expect(after).toBe(before);

      const again = await startTestService({ env, dataDir });
      const feedsAgain = [await pollEvents(again, scene, 'limit=200'), await pollEvents(again, other, 'limit=200')];
      expect(feedsAgain.map(({ body }) => body)).toEqual(feeds.map(({ body }) => body));
      await again.stop();
      await dns.close();
    },
    timeLimit(60_000),
  );
});
