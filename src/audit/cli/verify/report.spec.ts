import { Findings } from './findings';
import { exitCodeOf, report } from './verify';

const figures = { events: 9, documents: 9, checkpoints: 1, unsigned: 3, unsettled: 0, behind: 0 };

describe('what verify reports', () => {
  const findings = new Findings();
  for (let number = 1; number <= 1_500; number += 1)
    findings.add('expiry', `payment_request-pr_${number} 2`, 'too early');
  findings.add('transitions', 'payment_request-pr_9 3', 'out of order');

  const reported = (json: boolean): string[] => {
    const lines: string[] = [];
    report({ json, out: (line) => lines.push(line) }, findings, figures, ['key']);
    return lines;
  };

  it('names every invariant that is broken, however often another is', () => {
    const lines = reported(false);
    const verdicts = lines.filter((line) => /^(holds|BROKEN)/.test(line));
    expect(
      verdicts.filter((line) => line.startsWith('BROKEN')).map((line) => /^BROKEN {2}([^:]+)/.exec(line)?.[1]),
    ).toEqual(['transitions', 'expiry']);
    expect(lines).toContain('        and 500 more');
    expect(lines).toContain('        payment_request-pr_9 3: out of order');
    expect(lines.at(-1)).toBe('9 events, 9 documents and 1 checkpoints: 1501 finding(s)');
  });

  it('says the same to programs', () => {
    const lines = reported(true).map((line) => JSON.parse(line) as { invariant?: string; findings?: number });
    expect(lines.filter(({ invariant }) => invariant === 'transitions')).toHaveLength(1);
    expect(lines.at(-1)?.findings).toBe(1_501);
  });

  it.each([
    [undefined, 1, 'taken from the log itself', 'unvouched', 0],
    [undefined, 0, 'taken from the log itself', 'unvouched', 0],
    [['key'], 1, 'The last 3 event(s) come after what was signed', 'trusted', 0],
    [['key'], 0, 'There is no checkpoint in the log', 'unvouched', 2],
  ])('says how far the key %j vouches for a log with %i checkpoint(s)', (keys, checkpoints, words, key, code) => {
    const lines: string[] = [];
    const about = { ...figures, checkpoints };
    for (const json of [false, true]) report({ json, out: (line) => lines.push(line) }, new Findings(), about, keys);
    expect(lines).toContainEqual(expect.stringContaining(words));
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ key });
    expect([exitCodeOf(new Findings(), about, keys), exitCodeOf(findings, about, keys)]).toEqual([code, 1]);
  });
});
