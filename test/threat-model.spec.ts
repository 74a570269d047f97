import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { capacityWithin } from '../src/http/server/capacity';
import { rateLimits } from '../src/http/server/rate-limits';

const root = join(__dirname, '..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

describe('the threat model', () => {
  const text = read('docs/threat-model.md');
  const promised = text.slice(text.indexOf('## What is promised'), text.indexOf('## Bounds'));
  const rows = promised.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Promise '));

  it('names existing tests for each promise', () => {
    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) {
      const [, promise = '', against = '', shownBy = ''] = row.split('|').map((cell) => cell.trim());
      const files = [...shownBy.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
      const missing = files.filter((file) => !/spec\.ts$/.test(file) || !existsSync(join(root, file)));
      expect({ promise, missing, named: files.length > 0, against: against !== '' }).toEqual({
        promise,
        missing: [],
        named: true,
        against: true,
      });
    }
  });

  it('names each kind of attacker in some promise', () => {
    for (const who of ['tenant', 'agent', 'wallet', 'network attacker', 'receiver', 'thief of a copy', 'operator']) {
      expect(rows.filter((row) => (row.split('|')[2] ?? '').includes(who))).not.toEqual([]);
    }
  });

  it('states the bounds that the code has', () => {
    expect(text).toContain(`| Connections | ${capacityWithin(Infinity).connections.toLocaleString('en')},`);
    const { anonymous, credential, registration, domain_proof, pairing_code } = rateLimits;
    expect([registration, domain_proof, pairing_code]).toEqual([30, 30, 30]);
    expect(text).toContain(
      `address ${anonymous} without a credential, per credential ${credential.toLocaleString('en')},`,
    );
  });

  it('is linked from the security policy', () => {
    expect(read('SECURITY.md')).toContain('(docs/threat-model.md)');
  });
});
