import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { newWebhookSecret, signatureHeaders, signingKeyOf, WebhookSecrets } from './signing';
import { webhookEndpoint } from './webhook-endpoint';
import { createdWith, rotatedTo } from './webhook-endpoint.fixtures';

const body = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value));
const messageId = fc.stringMatching(/^whd_[0-9A-Z]{26}$/);

describe('signatures', () => {
  it('are what the receivers’ own library accepts, under each secret that signs', () => {
    fc.assert(
      fc.property(body, messageId, (text, id) => {
        const secrets = [newWebhookSecret(), newWebhookSecret()];
        const headers = signatureHeaders(secrets.map(signingKeyOf), id, new Date(), Buffer.from(text));
        for (const secret of secrets) expect(new Webhook(secret).verify(text, headers)).toEqual(JSON.parse(text));
        expect(() => new Webhook(newWebhookSecret()).verify(text, headers)).toThrow();
      }),
      { numRuns: 300 },
    );
  });

  it('cover every bit of body, id and time', () => {
    const secret = newWebhookSecret();
    fc.assert(
      fc.property(body, messageId, fc.nat(), (text, id, place) => {
        const bytes = Buffer.from(text);
        const headers = signatureHeaders([signingKeyOf(secret)], id, new Date(), bytes);
        const flipped = Buffer.from(bytes);
        const bit = place % (bytes.length * 8);
        flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        const verify = (payload: Buffer, changes: object = {}) =>
          new Webhook(secret).verify(payload, { ...headers, ...changes }, { jsonParse: false });
        expect(() => verify(bytes)).not.toThrow();
        // The library reads bytes as text: a flip that makes them no UTF-8 reads as U+FFFD, which differs as well.
        expect(() => verify(flipped)).toThrow();
        expect(() => verify(bytes, { 'webhook-id': `${id}x` })).toThrow();
        const later = String(Number(headers['webhook-timestamp']) + 1);
        expect(() => verify(bytes, { 'webhook-timestamp': later })).toThrow();
      }),
      { numRuns: 300 },
    );
  });
});

describe('webhook secrets', () => {
  const secrets = new WebhookSecrets(new ServiceSecret('only-for-tests-only-for-tests-only'));
  const [old, fresh] = [newWebhookSecret(), newWebhookSecret()];
  const until = '2030-01-02T00:00:00.000Z';
  const endpoint = {
    secretSealed: secrets.sealed('whe_1', fresh),
    previous: [{ secretSealed: secrets.sealed('whe_1', old), until }],
  };

  /** As `whsec_…`, to compare with what was sealed. */
  const signing = (at: Date): string[] =>
    secrets.signingNow('whe_1', endpoint, at).map((key) => `whsec_${key.export().toString('base64')}`);

  it('sign together until the old one expires', () => {
    expect(signing(new Date('2030-01-01T23:59:59.999Z'))).toEqual([fresh, old]);
    expect(signing(new Date(until))).toEqual([fresh]);
  });
  it('each sign for their own 24 hours, however often they are replaced', () => {
    const HOUR = 3_600_000;
    const [first, second, third] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    /** Whose signatures the receivers' library accepts now, when the secret was replaced so many hours ago. */
    const acceptedNow = (firstReplaced: number, secondReplaced: number): boolean[] => {
      const now = new Date();
      const ago = (hours: number): string => new Date(now.getTime() - hours * HOUR).toISOString();
      const rotation = (secret: string, hours: number) =>
        rotatedTo(secrets.sealed('whe_1', secret), ago(hours), ago(hours - 24));
      const state = [rotation(second, firstReplaced), rotation(third, secondReplaced)].reduce(
        webhookEndpoint.evolve,
        webhookEndpoint.evolve(null, createdWith(secrets.sealed('whe_1', first))),
      );
      if (state === null) throw new Error('there is no endpoint');
      const headers = signatureHeaders(secrets.signingNow('whe_1', state, now), 'whd_1', now, Buffer.from('{}'));
      return [first, second, third].map((secret) => {
        try {
          return new Webhook(secret).verify('{}', headers) !== undefined;
        } catch {
          return false;
        }
      });
    };
    expect(acceptedNow(0, 0)).toEqual([true, true, true]);
    expect(acceptedNow(23, 1)).toEqual([true, true, true]);
    expect(acceptedNow(24, 1)).toEqual([false, true, true]);
    expect(acceptedNow(25, 24)).toEqual([false, false, true]);
    expect(acceptedNow(60, 30)).toEqual([false, false, true]);
  });
  it('are sealed for one endpoint', () => {
    expect(endpoint.secretSealed).not.toContain(fresh.slice(6, 20));
    expect(() => secrets.signingNow('whe_2', endpoint, new Date(until))).toThrow();
  });
});
