import { temporaryDirectories } from '../../../test/support/temp-directory';
import { openEmbeddedEventStore } from '../../platform/event-store/embedded/open-embedded-event-store';
import { encodeEvent } from '../../platform/event-store/event-codec';
import { type EventStore, LOG_START, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type Reactor } from '../../platform/reacting/reactor';
import { type Reactors } from '../../platform/reacting/reactors';
import { systemClock } from '../../kernel/clock';
import { type DomainEvent } from '../../kernel/decider';
import * as payment from '../payment-requests/payment-request.fixtures';
import { type Projector } from '../../platform/projecting/projector';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { FollowedEndpoints } from './followed-endpoints';
import { FollowedSubjects } from './followed-subjects';
import { type WebhookDeliveryScheduled } from './webhook-delivery.events';
import * as endpoint from './webhook-endpoint.fixtures';
import { WebhookFanoutReactor } from './webhook-fanout.reactor';

const context = { requestId: 'req_1', actor: { kind: 'test', id: 'test' } };
const ENDPOINT = 'whe_01JZZZZZZZZZZZZZZZZZZZZZZZ';

describe('the fan-out of events to webhook endpoints', () => {
  const newDirectory = temporaryDirectories();
  let store: EventStore;
  let read: jest.SpyInstance;
  let found: jest.Mock;
  let listed: readonly string[];

  beforeEach(async () => {
    store = await openEmbeddedEventStore(newDirectory());
    read = jest.spyOn(store, 'readStream');
    listed = [ENDPOINT];
    found = jest.fn(() => Promise.resolve({ documents: listed.map((id) => ({ id })), next: null }));
  });
  afterEach(() => store.close());

  /** A process that begins to follow: it knows nothing yet. */
  function startFollowing(): Reactor {
    let reactor: Reactor | undefined;
    const reactors = { add: (added: Reactor) => (reactor = added) } as unknown as Reactors;
    const projector = { progress: { passed: () => Promise.resolve() } } as unknown as Projector;
    const endpoints = new FollowedEndpoints(projector, store, { find: found } as unknown as ReadModel);
    new WebhookFanoutReactor(reactors, endpoints, new FollowedSubjects(store), store, systemClock).onModuleInit();
    if (reactor === undefined) throw new Error('it was not handed in');
    return reactor;
  }

  async function happens(stream: string, ...events: readonly DomainEvent[]): Promise<RecordedEvent[]> {
    const { length } = await store.readStream(stream);
    const at = new Date().toISOString();
    await store.append(
      stream,
      length,
      events.map((event) => encodeEvent(event, context, at)),
    );
    return (await store.readStream(stream, length)).slice();
  }
  const ofEndpoint = (...events: readonly DomainEvent[]) => happens(`webhook_endpoint-${ENDPOINT}`, ...events);
  const ofRequest = (id: string, ...events: readonly DomainEvent[]) =>
    happens(`payment_request-${id}`, ...events.map(({ type, data }) => ({ type, data: { ...data, request_id: id } })));

  async function follow(reactor: Reactor, events: readonly RecordedEvent[]): Promise<void> {
    for (const event of events) if (reactor.types.includes(event.type)) await reactor.react(event);
  }

  async function scheduled(): Promise<WebhookDeliveryScheduled['data'][]> {
    const log = await store.readAll(LOG_START, 1000);
    return log.flatMap(({ type, data }) =>
      type === 'WebhookDeliveryScheduled' ? [data as WebhookDeliveryScheduled['data']] : [],
    );
  }

  it('looks once for a merchant’s endpoints, and reads nothing more when there is none', async () => {
    listed = [];
    const events: RecordedEvent[] = [];
    for (let number = 0; number < 20; number += 1) {
      events.push(...(await ofRequest(`pr_${number}`, payment.created, payment.signed, payment.broadcasted)));
    }
    read.mockClear();
    await follow(startFollowing(), events);
    expect([found.mock.calls.length, read.mock.calls.length]).toEqual([1, 0]);
    expect(await scheduled()).toEqual([]);
  });

  it('finds the merchant of a request whose beginning it has not seen', async () => {
    await ofEndpoint(endpoint.created, endpoint.verified);
    await ofRequest('pr_1', payment.created);
    await follow(startFollowing(), await ofRequest('pr_1', payment.signed));
    expect(await scheduled()).toMatchObject([{ event_type: 'payment_request.signed', subject_id: 'pr_1' }]);
  });

  it.each([
    ['from the beginning', 0],
    ['from a place in the middle', 2],
  ])('tells who was active when it happened, and wanted it, following %s', async (_, from) => {
    const log = [
      ...(await ofEndpoint(endpoint.created, endpoint.verified)),
      ...(await ofRequest('pr_1', payment.created)),
      ...(await ofEndpoint(endpoint.disabled('merchant'))),
      ...(await ofRequest('pr_2', payment.created)),
      ...(await ofEndpoint(endpoint.enabled)),
      ...(await ofRequest('pr_3', payment.created)),
      ...(await ofEndpoint(endpoint.changed({ events: ['payment_request.signed'] }))),
      ...(await ofRequest('pr_4', payment.created, payment.signed)),
      ...(await ofEndpoint(endpoint.removed)),
      ...(await ofRequest('pr_5', payment.created)),
    ];
    await follow(startFollowing(), log.slice(from));
    const told = (await scheduled()).map(({ subject_id, event_type }) => `${subject_id} ${event_type}`);
    expect(told).toEqual([
      'pr_1 payment_request.created',
      'pr_3 payment_request.created',
      'pr_4 payment_request.signed',
    ]);
  });

  it('hears of an endpoint that is made after it looked', async () => {
    listed = [];
    const reactor = startFollowing();
    await follow(reactor, await ofRequest('pr_1', payment.created));
    await follow(reactor, await ofEndpoint(endpoint.created, endpoint.verified));
    await follow(reactor, await ofRequest('pr_2', payment.created));
    expect((await scheduled()).map(({ subject_id }) => subject_id)).toEqual(['pr_2']);
  });

  it('is not led astray by an event that comes again', async () => {
    const reactor = startFollowing();
    const early = await ofRequest('pr_1', payment.created);
    await follow(reactor, [...early, ...(await ofEndpoint(endpoint.created, endpoint.verified))]);
    await follow(reactor, early);
    expect(await scheduled()).toEqual([]);
    const late = await ofRequest('pr_2', payment.created);
    await follow(reactor, [...late, ...late]);
    expect((await scheduled()).map(({ subject_id }) => subject_id)).toEqual(['pr_2']);
  });

  it('folds a request while it follows, and says the same when it has to read it again', async () => {
    await ofEndpoint(endpoint.created, endpoint.verified);
    const life = [payment.created, payment.signed, payment.broadcasted, payment.confirmed];
    const followed = await ofRequest('pr_1', ...life);
    read.mockClear();
    await follow(startFollowing(), followed);
    const readsOf = () => read.mock.calls.filter(([stream]) => stream === 'payment_request-pr_1').length;
    expect(readsOf()).toBe(0);
    const bodies = (await scheduled()).map(({ body }) => body);
    const versions = bodies.map((body) => (JSON.parse(body) as Told).data.payment_request);
    expect(versions.map(({ version, status }) => [version, status])).toEqual([
      [1, 'pending'],
      [2, 'signed'],
      [3, 'broadcasted'],
      [4, 'confirmed'],
    ]);

    // Another endpoint makes other deliveries of the same events, each by a process that has seen nothing before.
    listed = ['whe_other'];
    const own = { endpoint_id: 'whe_other' };
    const other = (event: DomainEvent): DomainEvent => ({ type: event.type, data: { ...event.data, ...own } });
    const stream = 'webhook_endpoint-whe_other';
    await happens(stream, other(endpoint.created), other(endpoint.verified));
    const position = (await store.readStream(stream)).at(-1)?.position ?? 0n;
    for (const event of followed) await startFollowing().react({ ...event, position: position + event.position });
    const again = (await scheduled()).slice(bodies.length).map(({ body }) => body);
    expect(again).toEqual(bodies);
  });
});

type Told = Readonly<{ data: { payment_request: { version: number; status: string } } }>;
