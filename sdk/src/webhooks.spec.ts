import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, signatureHeaders, signingKeyOf } from '../../src/capabilities/webhooks/signing';
import { verifyWebhook, WebhookVerificationError } from './webhooks.ts';

const secret = newWebhookSecret();
const now = new Date('2030-01-31T12:00:00.000Z');
const body = JSON.stringify({ type: 'payment_request.signed', timestamp: now.toISOString(), data: { name: 'Zoë €' } });
const signed = (text = body, secrets = [secret], at = now) =>
  signatureHeaders(secrets.map(signingKeyOf), 'whd_1', at, Buffer.from(text));

const refusal = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(WebhookVerificationError);
  return (error as Error).message;
};

describe('verifying a webhook', () => {
  it('takes what the service signs, as text or bytes, with headers of any kind', async () => {
    const whole = { id: 'whd_1', sentAt: now, message: JSON.parse(body) as unknown };
    expect(await verifyWebhook({ body, headers: signed(), secret, now })).toEqual(whole);
    expect(await verifyWebhook({ body: Buffer.from(body), headers: new Headers(signed()), secret, now })).toEqual(
      whole,
    );
    const upper = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verifyWebhook({ body, headers: upper, secret, now })).toEqual(whole);
  });

  it('agrees with the reference library on any body', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json(),
        fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' }),
        async (text, id) => {
          const reference = new Webhook(secret);
          const headers = {
            'webhook-id': id,
            'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
            'webhook-signature': reference.sign(id, now, text),
          };
          const { message } = await verifyWebhook({ body: text, headers, secret, now });
          expect(message).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('refuses a body, id, time or signature that was changed in one place', async () => {
    const headers = signed();
    const seconds = Number(headers['webhook-timestamp']);
    const wrong = [
      { body: `${body} `, headers },
      { body, headers: { ...headers, 'webhook-id': 'whd_2' } },
      { body, headers: { ...headers, 'webhook-timestamp': String(seconds + 1) } },
      { body, headers: { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v2,') } },
      { body, headers: { ...headers, 'webhook-signature': 'v1,AAAA' } },
      { body, headers: { ...headers, 'webhook-signature': 'v1,%%%' } },
      { body, headers: signed(body, [newWebhookSecret()]) },
    ];
    for (const input of wrong)
      expect(await refusal(verifyWebhook({ ...input, secret, now }))).toMatch('no signature matches');
  });

  it('refuses what is older or newer than the tolerance', async () => {
    const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
    for (const seconds of [-300, 300]) {
      await expect(verifyWebhook({ body, headers: signed(), secret, now: later(seconds) })).resolves.toBeDefined();
    }
    for (const seconds of [-301, 301]) {
      expect(await refusal(verifyWebhook({ body, headers: signed(), secret, now: later(seconds) }))).toMatch('old');
    }
    const patient = { body, headers: signed(), secret, now: later(900), toleranceSeconds: 1000 };
    await expect(verifyWebhook(patient)).resolves.toBeDefined();
  });

  it('refuses a message whose age cannot be told: a setting that is no number would let every replay in', async () => {
    const old = { body, headers: signed(), secret, now: new Date('2030-02-01T12:00:00.000Z') };
    expect(await refusal(verifyWebhook({ ...old, toleranceSeconds: Number('five') }))).toMatch('old');
    expect(await refusal(verifyWebhook({ ...old, now: new Date('soon') }))).toMatch('old');
  });

  it('names the header that is missing or no time', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const { [name]: _, ...headers } = signed() as Record<string, string>;
      expect(await refusal(verifyWebhook({ body, headers, secret, now }))).toBe(`${name} is missing`);
    }
    const headers = { ...signed(), 'webhook-timestamp': '1e9' };
    expect(await refusal(verifyWebhook({ body, headers, secret, now }))).toMatch('webhook-timestamp');
  });

  it('takes either of two secrets, on both sides', async () => {
    const next = newWebhookSecret();
    const rotating = signed(body, [next, secret]);
    for (const known of [secret, next, [secret, next]]) {
      await expect(verifyWebhook({ body, headers: rotating, secret: known, now })).resolves.toBeDefined();
    }
    await expect(verifyWebhook({ body, headers: signed(), secret: [next, secret], now })).resolves.toBeDefined();
  });

  it('refuses a signed body that is not JSON, and an invalid secret', async () => {
    expect(await refusal(verifyWebhook({ body: '{', headers: signed('{'), secret, now }))).toMatch('not JSON');
    await expect(verifyWebhook({ body, headers: signed(), secret: 'whsec_', now })).rejects.toThrow(TypeError);
  });
});
