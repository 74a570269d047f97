import { CommandRunner } from '../src/platform/event-store/run-command';
import { derivedId, newId } from '../src/kernel/ids';
import { paymentRequest } from '../src/capabilities/payment-requests/payment-request';
import { TESTNET_FACTS } from './support/agents';
import { type Answer } from './support/http';
import {
  connectAnotherWallet,
  createPayment,
  type PaymentScene,
  readPayment,
  refusal,
  reportPayment,
  setPaymentScene,
} from './support/payments';
import { recipientsOf } from './support/recipients';
import { type ConnectionId } from '../src/kernel/aggregates';
import { useServiceWithDns } from './support/use-service';

type Named = Readonly<{ key?: string | undefined; id?: string | undefined; amount?: string; by?: PaymentScene }>;

describe('the idempotency key and the request id of a payment request', () => {
  let scene: PaymentScene;
  let other: PaymentScene;
  let time = Date.parse('2030-01-01T00:00:00.000Z');
  const clock = { now: () => new Date(time) };

  const { service, dns } = useServiceWithDns({ clock });
  beforeAll(async () => {
    scene = await setPaymentScene(service, dns, { clock });
    other = await connectAnotherWallet(service, scene);
  });

  const create = ({ key, id, amount = '1', by = scene }: Named): Promise<Answer> =>
    createPayment(
      service,
      by,
      { payment: { amount }, ...(id === undefined ? {} : { request_id: id }) },
      key === undefined ? {} : { 'x-idempotency-key': key },
    );
  /** `created <id>`, `replayed <id>`, or the code of the refusal. */
  const outcome = ({ status, body, headers }: Answer): string => {
    if (status >= 400) return body.error.code as string;
    const replayed = headers.get('idempotent-replayed') === 'true';
    expect(status).toBe(replayed ? 200 : 201);
    expect(headers.get('location')).toBe(`/v1/payment-requests/${body.payment_request.request_id}`);
    return `${replayed ? 'replayed' : 'created'} ${body.payment_request.request_id}`;
  };
  const outcomes = async (...calls: readonly Named[]): Promise<string[]> => {
    const found: string[] = [];
    for (const each of calls) found.push(outcome(await create(each)));
    return found;
  };
  const unique = (): { k: string; r: string; r2: string; keyed: string } => {
    const end = newId('req').slice(-12);
    const k = `key-${end}`;
    return { k, r: `id-${end}`, r2: `id2-${end}`, keyed: derivedId('pr', scene.connection.connectionId, 'key', k) };
  };

  describe('by key', () => {
    it('yield one request for one intent', async () => {
      const { k: key, keyed } = unique();
      expect(await outcomes({ key }, { key }, { key, amount: '2' }, { key })).toEqual([
        `created ${keyed}`,
        `replayed ${keyed}`,
        'IDEMPOTENCY_KEY_REUSED',
        `replayed ${keyed}`,
      ]);
    });
    it('are the same with the quotes of the Idempotency-Key header and without', async () => {
      const { k: key, keyed } = unique();
      expect(await outcomes({ key: `"${key}"` }, { key }, { key: `"${key}"`, amount: '2' })).toEqual([
        `created ${keyed}`,
        `replayed ${keyed}`,
        'IDEMPOTENCY_KEY_REUSED',
      ]);
      const { status, body } = await createPayment(service, scene, {}, { 'idempotency-key': `"${key}` });
      expect([status, body.error.code, body.error.field]).toEqual([400, 'validation_failed', 'idempotency-key']);
    });
    it('belong to the connection', async () => {
      const { k: key } = unique();
      const [mine, theirs] = [outcome(await create({ key })), outcome(await create({ key, by: other, amount: '2' }))];
      expect([mine.split(' ')[0], theirs.split(' ')[0], mine === theirs]).toEqual(['created', 'created', false]);
    });
    it('return the current state of the request', async () => {
      const { k: key, keyed } = unique();
      await create({ key });
      await reportPayment(service, scene, keyed, { status: 'rejected', reason: 'no' });
      const { status, body } = await create({ key });
      const read = await readPayment(service, scene, keyed);
      expect([status, body.payment_request]).toEqual([200, read.body.payment_request]);
      expect(body.payment_request).toMatchObject({ status: 'rejected', reason: 'no', version: 2 });
    });
  });

  describe('by request id', () => {
    it('yield one request for one intent, under that id', async () => {
      const { r: id } = unique();
      expect(await outcomes({ id }, { id }, { id, amount: '2' })).toEqual([
        `created ${id}`,
        `replayed ${id}`,
        'request_id_unavailable',
      ]);
      expect((await readPayment(service, scene, id)).body.payment_request.request_id).toBe(id);
      expect((await reportPayment(service, scene, id, { status: 'signed' })).status).toBe(200);
    });
    it('are unavailable to everyone else, whatever they ask for', async () => {
      const { r: id, k: key } = unique();
      await create({ id });
      expect(await outcomes({ id, by: other }, { id, by: other, amount: '2' }, { id, key, by: other })).toEqual(
        Array.from({ length: 3 }, () => 'request_id_unavailable'),
      );
      expect(refusal(await readPayment(service, other, id))).toEqual([404, 'resource_not_found']);
    });
  });

  it('are optional: without them every call creates a new request', async () => {
    const ids = (await outcomes({}, {}, {})).map((each) => each.replace('created ', ''));
    expect(new Set(ids).size).toBe(3);
  });

  describe('by both', () => {
    it('find the request by either', async () => {
      const { k: key, r: id } = unique();
      expect(await outcomes({ key, id }, { key, id }, { key }, { id })).toEqual([
        `created ${id}`,
        ...Array.from({ length: 3 }, () => `replayed ${id}`),
      ]);
      expect((await readPayment(service, scene, id)).body.payment_request.idempotency_key).toBe(key);
    });
    it('follow the key if an id is added later or changes', async () => {
      const [first, second] = [unique(), unique()];
      expect(await outcomes({ key: first.k }, { key: first.k, id: first.r })).toEqual([
        `created ${first.keyed}`,
        `replayed ${first.keyed}`,
      ]);
      expect(await outcomes({ key: second.k, id: second.r }, { key: second.k, id: second.r2 })).toEqual([
        `created ${second.r}`,
        `replayed ${second.r}`,
      ]);
      expect(refusal(await readPayment(service, scene, first.r))[0]).toBe(404);
      expect(refusal(await readPayment(service, scene, second.r2))[0]).toBe(404);
    });
    it('link a key to an existing request', async () => {
      const { k: key, r: id } = unique();
      expect(await outcomes({ id }, { key, id }, { key })).toEqual([
        `created ${id}`,
        `replayed ${id}`,
        `replayed ${id}`,
      ]);
    });
    it('link two keys to one id', async () => {
      const [{ k: one, r: id }, { k: two }] = [unique(), unique()];
      expect(await outcomes({ key: one, id }, { key: two, id }, { key: two }, { key: one })).toEqual([
        `created ${id}`,
        ...Array.from({ length: 3 }, () => `replayed ${id}`),
      ]);
    });
    it('are refused for another intent', async () => {
      const { k: key, r: id } = unique();
      expect(await outcomes({ key, id }, { key, id, amount: '2' }, { key, amount: '2' }, { id, amount: '2' })).toEqual([
        `created ${id}`,
        'IDEMPOTENCY_KEY_REUSED',
        'IDEMPOTENCY_KEY_REUSED',
        'request_id_unavailable',
      ]);
    });
    it('leave the key free if the id is taken', async () => {
      const { k: key, r: id, r2 } = unique();
      expect(await outcomes({ id, by: other }, { key, id }, { key, id: r2 })).toEqual([
        `created ${id}`,
        'request_id_unavailable',
        `created ${r2}`,
      ]);
    });
    it('leave the key free if the input is refused', async () => {
      const { k: key, r: id, keyed } = unique();
      expect((await create({ key, id, amount: '0.00000001' })).status).toBe(400);
      expect(await outcomes({ key })).toEqual([`created ${keyed}`]);
    });
  });

  describe('after a crash between key and request', () => {
    /** The state after a crash between writing the key and the request. */
    const crash = async (key: string, id: string): Promise<void> => {
      const { k, r, keyed } = unique();
      await create({ key: k, id: r });
      const { state } = await service.app.get(CommandRunner).fold(paymentRequest, keyed);
      const intent_digest = state.kind === 'assigned' ? state.intentDigest : '';
      const connection_id = scene.connection.connectionId as ConnectionId;
      const assigned = {
        connection_id,
        idempotency_key: key,
        intent_digest,
        request_id: id,
        assigned_at: clock.now().toISOString(),
      };
      const context = { requestId: 'crash', actor: { kind: 'test', id: 'test' } };
      const stream = derivedId('pr', connection_id, 'key', key);
      await service.app.get(CommandRunner).run(paymentRequest, stream, { kind: 'assign-key', assigned }, context);
    };

    it.each([
      ['the key alone', (key: string, _id: string): Named => ({ key })],
      ['both', (key: string, id: string): Named => ({ key, id })],
      ['the key and another id', (key: string, _id: string): Named => ({ key, id: `${key}-other` })],
    ])('are completed under the id by %s', async (_, again) => {
      const { k: key, r: id } = unique();
      await crash(key, id);
      expect(refusal(await readPayment(service, scene, id))[0]).toBe(404);
      expect(await outcomes(again(key, id), { key }, { id })).toEqual([
        `created ${id}`,
        `replayed ${id}`,
        `replayed ${id}`,
      ]);
    });
    it('release the key if somebody else took the id in between', async () => {
      const { k: key, r: id, r2 } = unique();
      await crash(key, id);
      await create({ id, by: other });
      expect(await outcomes({ key, id }, { key }, { key, id: r2 })).toEqual(
        Array.from({ length: 3 }, () => 'request_id_unavailable'),
      );
    });
  });

  it('are replayed after the recipient changed, after expiry, and whatever the default expiry would be', async () => {
    const { k: key, r: id, keyed } = unique();
    const end = unique().r;
    const expires_at = new Date(time + 60_000).toISOString();
    const dated = () => createPayment(service, scene, { expires_at, request_id: end });
    await outcomes({ key }, { id });
    expect((await dated()).status).toBe(201);

    const recipients = recipientsOf(service, scene.merchant);
    const { recipientId } = scene.recipient;
    const { version } = (await recipients.read(recipientId)).body.recipient as { version: number };
    const added = await recipients.addVersion(recipientId, {
      ...TESTNET_FACTS,
      memo: 'new',
      version,
    });
    const newer = {
      id: recipientId,
      versionId: added.body.recipient_version.recipient_version_id as string,
      version: added.body.recipient.version as number,
    };
    await recipients.activate(newer, recipients.evidenceIn(await recipients.verify(newer)));
    time += 3_600_000;

    expect(outcome(await create({}))).toBe('recipient_version_not_active');
    expect(await outcomes({ key }, { id })).toEqual([`replayed ${keyed}`, `replayed ${id}`]);
    expect(outcome(await dated())).toBe(`replayed ${end}`);
    expect(outcome(await create({ key: unique().k, id }))).toBe(`replayed ${id}`);

    scene = { ...scene, recipient: { recipientId, recipientVersionId: newer.versionId } };
    other = { ...other, recipient: scene.recipient };
  });
});
