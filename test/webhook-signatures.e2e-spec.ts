import fc from 'fast-check';
import { anyCharacter } from './support/any-character';
import { Webhook } from 'standardwebhooks';
import { CommandBus } from '@nestjs/cqrs';
import { RotateWebhookSecret } from '../src/capabilities/webhooks/webhooks.handlers';
import { figure, seedOfRun } from './support/figures';
import { startTestService, type TestService } from './support/service';
import { MERCHANT, openEndpoint, scheduleDeliveries } from './support/webhook-deliveries';
import { type Received, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

const DELIVERIES = 1000;
const SIGNED = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

type Signed = Readonly<{ body: Buffer; headers: Readonly<Record<string, string>> }>;

describe('deliveries, verified as receivers do it', () => {
  let service: TestService;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    service = await startTestService({ env: { ALLOW_PRIVATE_NETWORKS: 'true' } });
  });
  afterAll(async () => {
    await service.stopAndForget();
    await receiver.close();
  });

  const signedPartOf = ({ body, headers }: Received): Signed => ({
    body: Buffer.from(body),
    headers: Object.fromEntries(SIGNED.map((name) => [name, headers[name] ?? ''])),
  });
  const isAccepted = (secret: string, { body, headers }: Signed): boolean => {
    try {
      new Webhook(secret).verify(body, { ...headers }, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  };
  const flipped = (bytes: Buffer, bit: number): Buffer => {
    const copy = Buffer.from(bytes);
    copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    return copy;
  };
  const bitsOf = (bytes: Buffer): number[] => Array.from({ length: bytes.length * 8 }, (_, bit) => bit);
  const headerFlipped = ({ body, headers }: Signed, name: string, bit: number): Signed => ({
    body,
    headers: { ...headers, [name]: flipped(Buffer.from(headers[name] ?? '', 'latin1'), bit).toString('latin1') },
  });

  it(`are accepted, ${DELIVERIES} of ${DELIVERIES}, and refused with a bit of body or header flipped`, async () => {
    const plain = await openEndpoint(service, `${receiver.url}/plain`);
    const rotating = await openEndpoint(service, `${receiver.url}/rotating`);
    const context = { requestId: 'test', actor: { kind: 'test', id: 'test' } };
    const rotation = new RotateWebhookSecret(rotating.endpointId, MERCHANT, context);
    const fresh = await service.app.get(CommandBus).execute(rotation);
    const secretsOf: Record<string, readonly string[]> = {
      '/hook/plain': [plain.secret],
      '/hook/rotating': [rotating.secret, fresh],
    };
    const seed = seedOfRun();
    const data = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue());
    const bodies = fc
      .sample(data, { numRuns: DELIVERIES, seed })
      .map((value) => JSON.stringify({ type: 'payment_request.created', timestamp: '', data: value }));
    const ids = await scheduleDeliveries(
      service,
      DELIVERIES,
      (index) => (index % 2 === 0 ? plain : rotating).endpointId,
      (index) => bodies[index] ?? '',
    );
    await receiver.until(() => receiver.received.length >= DELIVERIES);

    const sent = new Map(ids.map((id, index) => [id, bodies[index]]));
    const problems: string[] = [];
    let verified = 0;
    receiver.received.forEach((message, index) => {
      const signed = signedPartOf(message);
      const secrets = secretsOf[message.path] ?? [];
      if (message.body !== sent.get(message.id)) problems.push(`${message.id}: other bytes`);
      if (secrets.length > 0 && secrets.every((secret) => isAccepted(secret, signed))) verified += 1;
      for (const secret of secrets) {
        const bit = (seed + index * 7919) % (signed.body.length * 8);
        if (isAccepted(secret, { ...signed, body: flipped(signed.body, bit) })) problems.push(`body bit ${bit}`);
      }
    });
    const promise = 'webhooks verified by their receivers';
    figure({ promise, tried: DELIVERIES, lost: DELIVERIES - verified, doubled: problems.length, seed });
    expect({ seed, verified, problems }).toEqual({ seed, verified: DELIVERIES, problems: [] });
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(DELIVERIES);

    // Flips every single bit of one of them.
    const one = receiver.received.find(({ path, body }) => path === '/hook/plain' && body.length < 200);
    if (one === undefined) throw new Error('there is no short one');
    const signed = signedPartOf(one);
    const accepted = [
      ...bitsOf(signed.body).map((bit) => ({ ...signed, body: flipped(signed.body, bit) })),
      ...SIGNED.flatMap((name) =>
        bitsOf(Buffer.from(signed.headers[name] ?? '')).map((bit) => headerFlipped(signed, name, bit)),
      ),
    ].filter((changed) => isAccepted(plain.secret, changed));
    expect(accepted).toEqual([]);
  });
});
