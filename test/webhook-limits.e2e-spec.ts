import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { CommandRunner } from '../src/platform/event-store/run-command';
import { systemClock } from '../src/kernel/clock';
import { newId } from '../src/kernel/ids';
import { EndpointPlaces } from '../src/capabilities/webhooks/endpoint-places';
import { WebhookSecrets } from '../src/capabilities/webhooks/signing';
import { webhookEndpoint } from '../src/capabilities/webhooks/webhook-endpoint';
import { Projector } from '../src/platform/projecting/projector';
import { WebhookSender } from '../src/capabilities/webhooks/webhook-sender';
import {
  CreateWebhookEndpoint,
  CreateWebhookEndpointHandler,
} from '../src/capabilities/webhooks/create-webhook-endpoint';
import { CreateWebhookEndpointInput } from '../src/capabilities/webhooks/webhooks.dto';
import { readKeyedDraft } from '../src/http/input/keyed-draft';
import { call } from './support/http';
import { type SignedUpMerchant, signUpMerchant } from './support/merchant';
import { issues, refusal } from './support/payments';
import { createEndpoint } from './support/webhook-receiver';
import { useServiceWithDns } from './support/use-service';

describe('webhook endpoints, within their limits', () => {
  let merchant: SignedUpMerchant;

  const { service, dns } = useServiceWithDns();
  beforeAll(async () => {
    merchant = await signUpMerchant(service, { dns });
  });

  it.each([
    'http://shop.example/hook',
    'https://127.0.0.1/hook',
    'https://[::ffff:10.0.0.1]/',
    'https://2130706433/',
    'https://localhost/',
    'https://svc.test/v1/merchants',
    'https://shop.example:0/',
    'ftp://shop.example/',
  ])('are not created at %s', async (url) => {
    expect(refusal(await createEndpoint(service, merchant, { url }))).toEqual([422, 'destination_not_allowed']);
  });

  it('are not called at a name that resolves to a private network', async () => {
    dns.set('hook.example.test', { A: ['10.0.0.7'] });
    const { body } = await createEndpoint(service, merchant, { url: 'https://hook.example.test/' });
    const id = body.webhook_endpoint.webhook_endpoint_id as string;
    const { headers } = merchant;
    const verified = await call(`${service.url}/v1/webhook-endpoints/${id}/verify`, { headers, body: {} });
    expect(refusal(verified)).toEqual([422, 'destination_not_allowed']);
    const read = await call(`${service.url}/v1/webhook-endpoints/${id}`, { headers });
    expect(read.body.webhook_endpoint.status).toBe('pending');
  });

  it('report every problem of their input', async () => {
    const answer = await createEndpoint(service, merchant, { url: 5, events: ['payment_request.signed', 'nonsense'] });
    expect(issues(answer)).toEqual([
      ['wrong_type', 'url'],
      ['not_allowed', 'events.1'],
    ]);
  });

  it('are twenty at most per merchant, however many calls come at once', async () => {
    const other = await signUpMerchant(service, { dns });
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => createEndpoint(service, other, { url: 'https://shop.example/' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(issues(answers.find(({ status }) => status !== 201) ?? answers[0]!)).toEqual([['too_many', 'url']]);
    const { body } = await call(`${service.url}/v1/webhook-endpoints?limit=200`, { headers: other.headers });
    expect(body.webhook_endpoints).toHaveLength(20);
  });

  it('are twenty at most per merchant, whichever process is called, and may be replaced', async () => {
    const full = newId('mer');
    const draft = readKeyedDraft(CreateWebhookEndpointInput, { url: 'https://shop.example/' }, {});
    const context = { requestId: 'test', actor: { kind: 'test', id: 'test' } };
    const { app } = service;
    const store = app.get<EventStore>(EVENT_STORE);
    const [sender, secrets] = [app.get(WebhookSender), app.get(WebhookSecrets)];
    // Like separate processes: they share only the log.
    const processes = Array.from({ length: 4 }, () => {
      const commands = new CommandRunner(store, systemClock, () => Promise.resolve());
      const places = new EndpointPlaces(commands);
      return new CreateWebhookEndpointHandler(commands, sender, secrets, places, app.get(Projector), systemClock);
    });
    const create = (at: number) =>
      processes[at % processes.length]!.execute(new CreateWebhookEndpoint(draft, full, context)).then(
        ({ id }) => id,
        (error: Error) => error,
      );
    const made = await Promise.all(Array.from({ length: 60 }, (_, at) => create(at)));
    const ids = made.filter((one) => typeof one === 'string');
    expect(new Set(ids).size).toBe(20);
    expect(ids).toHaveLength(20);

    const merchantId = full;
    for (const endpointId of ids.slice(0, 3)) {
      const command = { kind: 'delete', endpointId, merchantId, at: new Date().toISOString() } as const;
      await app.get(CommandRunner).run(webhookEndpoint, endpointId, command, context);
    }
    const again = await Promise.all(Array.from({ length: 12 }, (_, at) => create(at)));
    const fresh = again.filter((one) => typeof one === 'string');
    expect(fresh).toHaveLength(3);
    expect(fresh.filter((id) => ids.includes(id))).toEqual([]);
  });

  it('may be deleted and created again any number of times', async () => {
    const { headers } = await signUpMerchant(service, { dns });
    const ids = new Set<string>();
    for (let turn = 0; turn < 9; turn += 1) {
      const { status, body } = await createEndpoint(service, { headers }, { url: 'https://shop.example/' });
      expect(status).toBe(201);
      const id = body.webhook_endpoint.webhook_endpoint_id as string;
      ids.add(id);
      await call(`${service.url}/v1/webhook-endpoints/${id}`, { method: 'DELETE', headers, body: {} });
    }
    expect(ids.size).toBe(9);
  });
});
