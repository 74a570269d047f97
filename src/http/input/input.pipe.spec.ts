import { InputPipe } from './input.pipe';

const SEED = 'SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4';
const read = (data: string, value: string): unknown => {
  try {
    return new InputPipe().transform(value, { type: 'param', data });
  } catch (error) {
    const { code, issues = [] } = error as { code: string; issues?: { code: string; field: string }[] };
    return [code, issues.map((issue) => [issue.code, issue.field])];
  }
};

describe('a name in a path', () => {
  it.each([
    ['id', 'x'.repeat(160)],
    ['id', 'pr_1.a:b-c'],
    ['key', 'order 1017 ✓'],
    ['key', 'k'.repeat(256)],
    ['transactionId', 'ключ'],
  ])('is taken as %s: %s', (data, value) => expect(read(data, value)).toBe(value));

  it.each([
    ['id', 'x'.repeat(161)],
    ['id', 'order 1017'],
    ['id', ''],
    ['key', 'k'.repeat(257)],
    ['key', ' order'],
    ['key', 'order\u0085'],
    ['key', 'order\n1'],
    ['transactionId', 'x y'.padEnd(161, 'z')],
  ])('leads nowhere as %s: %j', (data, value) => expect(read(data, value)).toEqual(['resource_not_found', []]));

  it.each(['key', 'transactionId'])('is refused as %s if it is a private key: others would learn of it', (data) =>
    expect(read(data, SEED)).toEqual(['validation_failed', [['secret_not_accepted', data]]]),
  );
});
