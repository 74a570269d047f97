import { type ServerResponse } from 'node:http';
import { type LoopbackPeer, startHttpPeer } from '../../../test/support/loopback-peers';
import { networkNames } from '../../networks';
import { readConfig } from '../../platform/config';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { type EndpointId } from '../../kernel/aggregates';
import { WINDOW } from './send-window';
import { newWebhookSecret, WebhookSecrets } from './signing';
import { type KnownEndpoint } from './webhook-endpoint';
import { WebhookSender } from './webhook-sender';

const ROUNDS = 10;

describe('sending webhooks', () => {
  const secrets = new WebhookSecrets(new ServiceSecret('only-for-tests-only-for-tests-only'));
  const sender = new WebhookSender(readConfig({ ALLOW_PRIVATE_NETWORKS: 'true' }, networkNames), secrets);
  let peer: LoopbackPeer;
  let endpoint: KnownEndpoint;
  /** Responds to all requests together, once as many have arrived as may be in flight. */
  const waiting: ServerResponse[] = [];

  beforeAll(async () => {
    peer = await startHttpPeer((request, response) => {
      request.resume();
      if (waiting.push(response) < WINDOW.largest) return;
      for (const one of waiting.splice(0)) one.writeHead(204).end();
    });
    endpoint = {
      merchantId: 'mer_1',
      url: `http://127.0.0.1:${peer.port}/`,
      events: null,
      description: null,
      status: 'active',
      verified: true,
      secretSealed: '',
      previous: [],
      lastRecoveryId: null,
      disabledIn: 0,
      createdAt: '2026-07-01T00:00:00.000Z',
      under: {},
      version: 1,
    };
  });
  afterAll(async () => {
    sender.onModuleDestroy();
    await peer.close();
  });

  const send = (number: number, endpointId: EndpointId) =>
    sender.send({
      endpointId,
      endpoint: { ...endpoint, secretSealed: secrets.sealed(endpointId, newWebhookSecret()) },
      messageId: `whd_${number}`,
      body: '{}',
      at: new Date(),
      timeoutMs: 60_000,
      maxResponseBytes: 1_000,
    });
  /** Sends a full window and returns how many connections that took. */
  const burst = async (endpointId: EndpointId = 'whe_1'): Promise<number> => {
    const before = peer.accepted();
    await Promise.all(Array.from({ length: WINDOW.largest }, (_, number) => send(number, endpointId)));
    return peer.accepted() - before;
  };

  it('needs no new connection for a burst as large as the one before', async () => {
    expect(await burst()).toBe(WINDOW.largest);
    const opened: number[] = [];
    // If the machine stalls between two bursts for longer than connections are kept alive, they are opened again.
    for (let round = 0; round < ROUNDS; round += 1) opened.push(await burst());
    expect(opened).toContain(0);
  });

  it('takes no connection of another endpoint, even to the same URL', async () => {
    await burst();
    expect(await burst('whe_2')).toBe(WINDOW.largest);
  });
});
