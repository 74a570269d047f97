import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derivedId, newId } from '../../kernel/ids';
import { newTokenFor, subjectOf } from './bound-tokens';
import { ServiceSecret, serviceSecretIn } from './service-secret';
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
