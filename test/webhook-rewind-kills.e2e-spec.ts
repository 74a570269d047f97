import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClockedProcess } from './support/clocked-process';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { createPayment, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService } from './support/service';
import {
  type ActiveEndpoint,
  activeEndpoint,
  startWebhookReceiver,
  type WebhookReceiver,
} from './support/webhook-receiver';

const EVENTS = 60;

describe('a rewind by a sender that is killed', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-rewind-'));
  let receiver: WebhookReceiver;
  let scene: PaymentScene;
  let endpoint: ActiveEndpoint;
  let sender: ClockedProcess;

  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    const { dns, env } = await startPaymentDns();
    const allowed = { ALLOW_PRIVATE_NETWORKS: 'true' };
    const service = await startTestService({ env: { ...env, ...allowed }, dataDir });
    scene = await setPaymentScene(service, dns);
    // The feed begins with the domain, the payee and the connection.
    for (let number = 3; number < EVENTS; number += 1) await createPayment(service, scene);
    endpoint = await activeEndpoint(service, scene.merchant, receiver.url);
    await service.stop();
    await dns.close();
    const settings = { DATA_DIR: dataDir, LOG_LEVEL: 'silent', ATTEMPT_MS: '5000' };
    sender = new ClockedProcess(endpoint.endpointId, { ...settings, ...allowed });
    await sender.service;
  }, 60_000);
  afterAll(async () => {
    await sender.end();
    await receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('resumes after the last recorded message, loses nothing, and sends nothing out of order', async () => {
    const { headers } = scene.merchant;
    const path = `/v1/webhook-endpoints/${endpoint.endpointId}`;
    const { url } = await sender.service;
    const moments = [10, 35];
    receiver.behave((_message, _request, response) => {
      response.writeHead(204).end();
      if (receiver.received.length >= (moments[0] ?? Infinity)) {
        moments.shift();
        sender.kill();
      }
    });
    const asked = await call(`${url}${path}/rewind`, { headers, body: { from_cursor: 0 } });
    expect([asked.status, asked.body.rewind.deliveries]).toEqual([202, EVENTS]);
    const id = asked.body.rewind.rewind_id as string;
    const read = async () => {
      const { url: now } = await sender.service;
      return (await call(`${now}${path}/rewinds/${id}`, { headers }).catch(() => undefined))?.body.rewind;
    };
    await eventually(read, (seen) => seen?.status === 'done', 'the end of the rewind');

    const cursors = receiver.received.map(({ headers: sent }) => Number(sent['webhook-cursor']));
    const firsts = [...new Set(cursors)];
    expect(firsts).toEqual(Array.from({ length: EVENTS }, (_, index) => index + 1));
    expect(sender.kills).toBe(2);
    const bodies = new Map<string, string>();
    for (const { id: messageId, body } of receiver.received) {
      expect(bodies.get(messageId) ?? body).toBe(body);
      bodies.set(messageId, body);
    }
    expect(bodies.size).toBe(EVENTS);
  }, 120_000);
});
