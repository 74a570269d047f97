import { readFileSync } from 'node:fs';
import { endorsementBytes, signedBytes } from '../src/audit/proofs/checkpoint';
import { extentBytes, sealBytes } from '../src/audit/proofs/extent';
import { canonical } from '../src/audit/proofs/leaf';

/** Independent verifiers have only docs/auditors.md to learn which bytes are signed. */
describe('the description of signed bytes in docs/auditors.md', () => {
  const rows = readFileSync('docs/auditors.md', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, , purpose = '', members = ''] = line.split('|');
      const named = /`(svc .* v1)`/.exec(purpose)?.[1];
      return named === undefined
        ? []
        : [[named, [...members.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)] as const];
    });
  const values: Readonly<Record<string, unknown>> = {
    origin: 'https://svc.example',
    tree_size: 7,
    root: 'ab'.repeat(32),
    time: '2030-01-01T00:00:00.000Z',
    key_id: 'cd'.repeat(16),
    public_key: 'ef'.repeat(32),
    by_key_id: '01'.repeat(16),
    request_id: 'pr_1',
    stream: 'payment_request-pr_1',
    version: 3,
    withheld: [2],
    leaves: [4, 6],
    scope: 'payment pr_1',
    events: 2,
    sha256: '23'.repeat(32),
  };
  const all = values as any;
  const { scope, events, sha256, key_id } = all;

  it.each([
    ['checkpoint', 'svc transparency log checkpoint v1', signedBytes(all)],
    ['extent of a proof', 'svc payment proof extent v1', extentBytes(all, 'pr_1', all)],
    ['statement of an export', 'svc export extent v1', sealBytes(all, { scope, events, sha256, key_id })],
    ['endorsement', 'svc transparency log key endorsement v1', endorsementBytes(all)],
  ])('names the line and every member of a %s', (_, line, bytes) => {
    const members = rows.find(([purpose]) => purpose === line)?.[1] ?? [];
    const told = `${line}\n${canonical(Object.fromEntries(members.map((name) => [name, values[name]])))}`;
    expect(Buffer.from(bytes).toString()).toBe(told);
  });
});
