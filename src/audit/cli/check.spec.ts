import { verdictOnExport } from './check';

async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the lines of an export', () => {
  // Each is reported by its number; the euro sign has three bytes, which chunks of one or two of them tear apart.
  const text = '"€"\n\n{"a":"€€"}\nnull\n[';

  it.each([1, 2, 3, 7, 1_000])('are the same, whatever the pieces in which they arrive: of %i bytes', async (size) => {
    const { problems } = await verdictOnExport(chunksOf(text, size), {});
    expect(problems).toEqual([
      'line 1 is not the header of an export',
      'it has an unknown member: header.0',
      'line 2 is not JSON',
      expect.stringContaining('line 3: it has an unknown member: line.a'),
      expect.stringContaining('line 3 (event'),
      expect.stringContaining('line 3 is not an event'),
      'line 4 is not in canonical form',
      'line 5 is not JSON',
      'the export has no header line or no final line',
    ]);
  });

  it('are not copied again for each piece of a long one', async () => {
    const concat = jest.spyOn(Buffer, 'concat');
    await verdictOnExport(chunksOf('x'.repeat(10_000), 10), {});
    const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
    concat.mockRestore();
    expect(copied).toBeLessThanOrEqual(10_000);
  });
});
