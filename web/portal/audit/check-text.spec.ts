import { checkFile, checkText } from './check-text.ts';

jest.mock('../../live/service.ts', () => ({ service: { auditKeys: () => Promise.resolve([]) } }));

/** Of the right form, and signed by nobody. */
const checkpoint = { origin: 'o', tree_size: 1, root: '00'.repeat(32), time: 't', key_id: 'k', signature: '' };
const consistency = { format: 'svc.consistency.v1', from: checkpoint, to: checkpoint, keys: [], proof: [] };

describe('a file that somebody wants checked', () => {
  const problemsOf = async (text: string): Promise<string> => (await checkText(text)).problems.join('\n');

  it('is read as what it is, by itself or in the answer that it came in', async () => {
    for (const file of [consistency, { ok: true, consistency }]) {
      expect(await problemsOf(JSON.stringify(file))).toContain('key k');
    }
  });

  it('does not hold if it says something twice, or something besides', async () => {
    const text = JSON.stringify(consistency);
    for (const altered of [
      text.replace('"tree_size":1', '"tree_size":2,$&'),
      JSON.stringify({ ok: true, consistency, payment_request: { status: 'confirmed' } }),
      JSON.stringify([consistency]),
      'no JSON',
    ]) {
      expect((await checkText(altered)).ok).toBe(false);
      expect(await problemsOf(altered)).not.toContain('key k');
    }
  });

  it('does not hold if one of its bytes is no character', async () => {
    const bytes = Buffer.from(JSON.stringify({ ...consistency, to: { ...checkpoint, time: '\ufffd' } }));
    const at = bytes.indexOf(Buffer.from('\ufffd'));
    const altered = Buffer.concat([bytes.subarray(0, at), Buffer.of(0xff), bytes.subarray(at + 3)]);
    const checked = async (file: Buffer) => (await checkFile(new Blob([Uint8Array.from(file)]))).problems.join();
    expect(await checked(bytes)).toContain('key k');
    expect(await checked(altered)).toBe('The file is not UTF-8.');
  });
});
