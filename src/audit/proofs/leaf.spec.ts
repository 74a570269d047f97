import fc from 'fast-check';
import { leafText, type ProvenEvent, veil } from './leaf';

const event: ProvenEvent = {
  stream: 'payment_request-1',
  version: 3,
  type: 'PaymentRequestBroadcasted',
  data: {
    request_id: 'pr_1',
    device_id: 'dev_1',
    transaction_hash: 'abc',
    token_hash: 'h',
    secret_sealed: 's',
    payment: { device_id: 'dev_1', amount: '1' },
    display: { device_id: 'the caller’s own' },
  },
  metadata: { event_id: 'evt_1', occurred_at: 'now', request_id: 'req_1', actor: { kind: 'k', id: 'i' }, schema: 1 },
};

const EVERYTHING = [
  '/data/device_id',
  '/data/payment/device_id',
  '/data/secret_sealed',
  '/data/token_hash',
  '/metadata/actor',
  '/metadata/request_id',
];

describe('the leaf of an event', () => {
  it('veils what is not everybody’s, and nothing else', () => {
    const veiled = veil(event, () => false);
    expect(Object.keys(veiled.veiled).sort()).toEqual(EVERYTHING);
    expect(veiled.data).toEqual({
      request_id: 'pr_1',
      transaction_hash: 'abc',
      payment: { amount: '1' },
      display: { device_id: 'the caller’s own' },
    });
    expect(veiled.metadata).toEqual({ event_id: 'evt_1', occurred_at: 'now', schema: 1 });
  });

  it('is the same text, whatever of it is veiled', () => {
    const whole = leafText(event);
    fc.assert(
      fc.property(fc.subarray(['device_id', 'token_hash', 'secret_sealed', 'actor', 'request_id']), (shown) => {
        const once = veil(event, (member) => shown.includes(member));
        expect(leafText(once)).toBe(whole);
        expect(leafText(JSON.parse(JSON.stringify(veil(once, () => false))) as ProvenEvent)).toBe(whole);
      }),
    );
  });

  it('does not reveal through its digests that two events have the same value', () => {
    const other = veil({ ...event, metadata: { ...event.metadata, event_id: 'evt_2' } }, () => false);
    const digests = new Set([...Object.values(veil(event, () => false).veiled), ...Object.values(other.veiled)]);
    expect(digests.size).toBe(2 * EVERYTHING.length);
  });

  it('is another text for every change', () => {
    const whole = leafText(event);
    const changes: ProvenEvent[] = [
      { ...event, version: 4 },
      { ...event, stream: 'payment_request-2' },
      { ...event, data: { ...event.data, device_id: 'dev_2' } },
      { ...event, data: { ...event.data, more: null } },
      { ...event, metadata: { ...event.metadata, actor: { kind: 'k', id: 'j' } } },
      { ...event, veiled: { '/data/other_hash': '0' } },
    ];
    for (const changed of changes) expect(leafText(changed)).not.toBe(whole);
  });

  it('refuses a member that is both there and veiled', () => {
    expect(() => leafText({ ...event, veiled: { '/data/device_id': '0' } })).toThrow('both');
  });
});
