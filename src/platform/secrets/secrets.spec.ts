import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derivedId, newId } from '../../kernel/ids';
import { newTokenFor, subjectOf } from './bound-tokens';
import { serviceSecretIn } from './secret-file';
import { StoreUnavailable } from '../event-store/event-store.port';
import { seal, unseal } from './sealing';
import { secretOf, ServiceSecret } from './service-secret';
import { hashToken, newToken, secretsEqual, tokenMatches } from './tokens';

describe('tokens', () => {
  it('carry their kind and 32 random bytes', () => {
    expect(newToken('device')).toMatch(/^svc_dt_[\w-]{43}$/);
    expect(newToken('device')).not.toBe(newToken('device'));
  });

  it('match their hash and no other', () => {
    const token = newToken('device');
    expect(tokenMatches(token, hashToken(token))).toBe(true);
    expect(tokenMatches(`${token}x`, hashToken(token))).toBe(false);
    expect(tokenMatches(token, 'h1')).toBe(false);
    expect(tokenMatches(token, undefined)).toBe(false);
    expect(secretsEqual('a', 'a')).toBe(true);
    expect(secretsEqual('a', 'aa')).toBe(false);
  });

  it('may name what they open', () => {
    for (const id of [newId('con'), derivedId('con', 'x')]) {
      expect(subjectOf('connection', 'con', newTokenFor('connection', id))).toBe(id);
    }
    expect(subjectOf('session', 'con', newTokenFor('connection', newId('con')))).toBeUndefined();
    expect(subjectOf('connection', 'con', 'svc_ct_short')).toBeUndefined();
  });
});

describe('the service secret', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-secret-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is generated once and readable by its owner only', () => {
    const secret = serviceSecretIn(folder);
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(serviceSecretIn(folder)).toBe(secret);
    expect(statSync(join(folder, 'service-secret')).mode & 0o777).toBe(0o600);
  });

  it('gives a different key for each purpose', () => {
    const secret = new ServiceSecret('s'.repeat(32));
    expect(secret.key('a')).toEqual(new ServiceSecret('s'.repeat(32)).key('a'));
    expect(secret.key('a')).not.toEqual(secret.key('b'));
  });
});

describe('a service secret that replaced another', () => {
  const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(32));
  const [first, second, third] = texts.map((text) => ServiceSecret.pendingHistory(text)) as [
    ServiceSecret,
    ServiceSecret,
    ServiceSecret,
  ];
  first.learn(null);
  const forSecond = first.sealedFor(second);
  second.learn(forSecond);
  third.learn(second.sealedFor(third));

  it('seals under its own number and opens what its predecessors have sealed', () => {
    const sealed = [first, second, third].map((secret) => secret.seal('webhook-secret', 'whe_1', 'hidden'));
    expect(sealed.map(secretOf)).toEqual([1, 2, 3]);
    expect(sealed[0]).toMatch(/^[\w-]+$/);
    expect(sealed.map((text) => third.unseal('webhook-secret', 'whe_1', text))).toEqual(['hidden', 'hidden', 'hidden']);
    expect(() => third.unseal('webhook-secret', 'whe_2', sealed[0] ?? '')).toThrow();
    expect(() => second.unseal('webhook-secret', 'whe_1', sealed[2] ?? '')).toThrow('no key of secret 3');
  });

  it('does not open a text with a truncated tag', () => {
    const bytes = Buffer.from(seal(first.key('webhook-secret'), 'whe_1', ''), 'base64url');
    for (const kept of [4, 8, 12, 15]) {
      const cut = bytes.subarray(0, 12 + kept).toString('base64url');
      expect(() => unseal(first.key('webhook-secret'), 'whe_1', cut)).toThrow();
    }
  });

  it('does not open a text under the wrong secret number', () => {
    const [, text = ''] = second.seal('webhook-secret', 'whe_1', 'hidden').split('.');
    expect(() => third.unseal('webhook-secret', 'whe_1', text)).toThrow();
    expect(() => third.unseal('webhook-secret', 'whe_1', `3.${text}`)).toThrow();
  });

  it('has the keys of its predecessors that are still needed, but neither the secrets nor the audit signing key', () => {
    expect(third.key('account-id', 1)).toEqual(first.key('account-id'));
    expect(third.key('derived-tokens', 2)).toEqual(second.key('derived-tokens'));
    for (const [purpose, number] of [
      ['audit-signing', 1],
      ['fingerprint', 1],
      ['older-keys', 2],
      ['account-id', 2],
    ] as const) {
      expect(() => third.key(purpose, number)).toThrow(`no key of secret ${number}`);
    }
    const opened = unseal(second.key('older-keys'), 'older-keys', forSecond);
    for (const text of texts) expect(opened).not.toContain(text);
  });

  it('accepts only keys that were sealed for it', () => {
    expect(() => third.learn(forSecond)).toThrow();
    expect(() => first.learn(forSecond)).toThrow();
  });

  it('provides no earlier key, and makes nothing that must carry its number, before the log was read', () => {
    const unasked = ServiceSecret.pendingHistory(texts[1] ?? '');
    expect(unasked.key('audit-signing')).toEqual(second.key('audit-signing'));
    expect(() => unasked.key('account-id', 1)).toThrow(StoreUnavailable);
    expect(() => unasked.seal('webhook-secret', 'whe_1', 'hidden')).toThrow(StoreUnavailable);
  });
});
