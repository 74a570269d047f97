import { type CheckOptions, checkProof } from './check-proof';
import { ExportCheck, type ExportSeal } from './check-export';
import { canonical, type ProvenEvent } from './leaf';
import { checkpointOf, eventOf, exportOver, keyFrom, proofOver, shown } from './signed-log.fixtures';
import { keyIsPinned, NEVER_PROVEN, unpinned } from './verdict';

const key = keyFrom('a');
const evil = keyFrom('x');
const trusted = { trustedKeys: [key.key_id] };
const log = [
  eventOf('merchant-1', 1, 'MerchantRegistered', { merchant_id: '1' }),
  eventOf('merchant-2', 1, 'MerchantRegistered', { merchant_id: '2' }),
  eventOf('merchant-1', 2, 'MerchantActivated', {}),
  eventOf('merchant-1', 3, 'MerchantSuspended', {}),
  eventOf('merchant-2', 2, 'MerchantActivated', {}),
];
const whole = [0, 1, 2, 3, 4];
const part = [0, 2, 3];

function verdictOn(lines: readonly string[], options: CheckOptions = trusted) {
  const check = new ExportCheck(options);
  for (const line of lines) check.line(line);
  return check.end();
}
const changed = (lines: readonly string[], at: number, change: object): string[] =>
  lines.with(at, canonical({ ...(JSON.parse(lines.at(at) ?? '') as object), ...change }));
const annotated: ReturnType<typeof checkpointOf> & { note: string } = { ...checkpointOf(log, key), note: 'paid' };
const sealOf = (lines: readonly string[]) => JSON.parse(lines.at(-1) ?? '') as ExportSeal;

describe('an export that a trusted key has signed', () => {
  it('holds as it is, whole or in part', () => {
    const all = verdictOn(exportOver(log, whole, key, { scope: 'all' }));
    expect([all.problems, all.proven.join(' ')]).toEqual([[], expect.stringContaining('are the whole log of')]);
    const some = verdictOn(exportOver(log, part, key));
    expect([some.problems, some.proven.join(' ')]).toEqual([[], expect.stringContaining('they are all of merchant-1')]);
  });

  it.each<[string, readonly string[]]>([
    ['an event in the middle of a stream is left out', exportOver(log, [0, 3], key)],
    ['the first event of a stream is left out', exportOver(log, [2, 3], key)],
    ['an event is there twice', exportOver(log, [0, 2, 2, 3], key)],
    ['its events are out of order', exportOver(log, [2, 0, 3], key)],
    ['streams are out of order', exportOver(log, [1, 0], key)],
    ['it contains no events', exportOver(log, [], key)],
    ['it claims to be whole but ends early', exportOver(log, [0, 1, 2], key, { scope: 'all' })],
    ['it claims to be whole but begins late', exportOver(log.slice(1), [1], key, { scope: 'all' })],
    ['it names another origin', exportOver(log, part, key, { header: { origin: 'https://other.example' } })],
    ['it names another size', exportOver(log, part, key, { header: { tree_size: 6 } })],
    ['it has another format', exportOver(log, part, key, { header: { format: 'svc.export.v2' as never } })],
    ['it counts more events than are there', exportOver(log, whole, key, { scope: 'all', seal: { events: 6 } })],
    ['its digest is another', exportOver(log, whole, key, { scope: 'all', seal: { sha256: '0'.repeat(64) } })],
    ['it has no statement', changed(exportOver(log, part, key), -1, { statement: undefined })],
    [
      'its statement is of another export',
      changed(exportOver(log, part, key), -1, { statement: sealOf(exportOver(log, [1, 4], key)).statement }),
    ],
    [
      'its statement is of another scope',
      changed(exportOver(log, part, key), -1, {
        statement: sealOf(exportOver(log, part, key, { scope: 'merchant-2' })).statement,
      }),
    ],
    [
      'its checkpoint is of another log',
      exportOver(log, part, key, { seal: { checkpoint: checkpointOf(log, key, { root: '0'.repeat(64) }) } }),
    ],
    [
      'events carry no proof',
      exportOver(log, [0, 1], key, { scope: 'all', header: { scope: 'merchant-1' }, seal: {} }),
    ],
    ['its checkpoint carries more', exportOver(log, whole, key, { scope: 'all', seal: { checkpoint: annotated } })],
    ['its last line carries more', exportOver(log, whole, key, { scope: 'all', seal: { note: 'paid' } as never })],
    [
      'its statement carries more',
      changed(exportOver(log, part, key), -1, {
        statement: { ...sealOf(exportOver(log, part, key)).statement, note: 'paid' },
      }),
    ],
  ])('does not hold if %s', (_, lines) => {
    const verdict = verdictOn(lines);
    expect([verdict.ok, verdict.problems.length > 0]).toEqual([false, true]);
  });
});

describe('an export that is not of the log although a trusted key has signed it', () => {
  const second = (change: object) => (event: ProvenEvent) => (event.version === 2 ? { ...event, ...change } : event);

  it.each<[string, object, string]>([
    ['an event was changed', { data: { paid: true } }, 'is not in the signed log as it is here'],
    ['an event has another place', { leaf_index: 4 }, 'is not in the order of the log'],
    ['an event is beyond its end', { leaf_index: 5 }, 'does not fit a log of this size'],
    ['an event carries more', { note: 'paid' }, 'unknown member: line.note'],
    ['a proof is too long', { inclusion: Array.from({ length: 9 }, () => '0'.repeat(64)) }, 'does not fit'],
    ['a proof is not one', { inclusion: ['x'] }, 'is not an event'],
    ['an event carries no proof', { inclusion: undefined }, 'an event carries no proof'],
  ])('does not hold in part if %s', (_, change, problem) => {
    const { ok, problems } = verdictOn(exportOver(log, part, key, { change: second(change) }));
    expect([ok, problems.join(' ')]).toEqual([false, expect.stringContaining(problem)]);
  });

  it('does not hold as a whole if an event was changed, or stands at another place', () => {
    const wholly = (change: object) => verdictOn(exportOver(log, whole, key, { scope: 'all', change: second(change) }));
    expect(wholly({ data: { paid: true } }).problems).toEqual(['the 5 events here are not the 5 that were signed']);
    expect(wholly({ leaf_index: 7 }).problems).toContainEqual(
      expect.stringContaining('is not event 2 of the whole log'),
    );
  });

  it('does not hold if it is not in canonical form, has no seal or carries more in its first line', () => {
    const lines = exportOver(log, part, key);
    const spaced = lines.with(1, ` ${lines[1]}`);
    expect(verdictOn(spaced).problems).toContain('line 2 is not in canonical form');
    expect(verdictOn([...lines, '{']).problems).toContain(`line ${lines.length + 1} is not JSON`);
    expect(verdictOn([]).problems).toEqual(['the export has no header line or no final line']);
    expect(verdictOn(lines.slice(0, 1)).problems).toEqual(['the export has no header line or no final line']);
    expect(verdictOn(exportOver(log, part, key, { header: { note: 'paid' } as never })).problems).toContain(
      'it has an unknown member: header.note',
    );
  });

  it('says what remains open, and whose key it is', () => {
    for (const lines of [exportOver(log, part, key), exportOver(log, whole, key, { scope: 'all' })]) {
      const [known, unknown] = [verdictOn(lines), verdictOn(lines, {})];
      expect(known.proven[0]).toBe(keyIsPinned(true, key.key_id));
      expect(unknown.proven[0]).toBe(keyIsPinned(false, key.key_id));
      expect(unknown.notProven).toEqual([...unpinned(false, key.key_id), ...known.notProven]);
      expect(known.notProven).toEqual(expect.arrayContaining([expect.stringMatching(/^What happened after/)]));
      expect(known.notProven).toEqual(expect.arrayContaining([...NEVER_PROVEN]));
    }
  });
});

describe('an export of which a part is signed by a key that nobody trusts', () => {
  it.each([
    ['the statement of what belongs to it', exportOver(log, part, key, { by: evil })],
    ['the checkpoint', exportOver(log, part, evil, { by: key })],
    ['a whole log', exportOver(log, whole, evil, { scope: 'all' })],
  ])('does not hold: %s', (_, lines) => {
    expect(verdictOn(lines).problems).toEqual([
      `key ${evil.key_id} is not one of those you trust, and none of them has endorsed it`,
    ]);
    expect(verdictOn(lines, {}).ok).toBe(true);
  });

  it('does not hold if a key goes by the id of another', () => {
    const keys = [{ ...shown(evil), key_id: key.key_id }];
    expect(verdictOn(exportOver(log, part, key, { seal: { keys } }), {}).ok).toBe(false);
  });
});

describe('a hostile file', () => {
  it.each([
    [['null', 'null', 'null']],
    [['null']],
    [['5', '5', '5']],
    [['[]', '{}', '{}']],
    [[exportOver(log, part, key)[0] ?? '', 'null', 'null']],
  ])('is reported as no export: %j', (lines) => {
    expect(verdictOn(lines).ok).toBe(false);
  });

  it('is not taken for a proof because its parts are signed', () => {
    const { extent, ...proof } = proofOver(log, part, key);
    expect(checkProof(proof, trusted).ok).toBe(false);
    expect(checkProof({ ...proof, extent: null as never }, trusted).ok).toBe(false);
    expect(extent).toBeDefined();
  });

  it('is reported in at most twenty sentences', () => {
    const [header = ''] = exportOver(log, part, key);
    const lines = [header, ...Array.from({ length: 30 }, () => '{}'), '{}'];
    expect(verdictOn(lines).problems).toHaveLength(20);
    // All has been said: however long it is, the rest is not even read.
    const parse = jest.spyOn(JSON, 'parse');
    verdictOn([...lines, ...lines, ...lines]);
    const read = parse.mock.calls.length;
    parse.mockRestore();
    expect(read).toBeLessThan(lines.length);
  });
});
