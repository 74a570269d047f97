import crypto from 'node:crypto';
import { parseQuery } from './query';
import { notedIssues } from './input-issues';

const SIGNATURE = '51qBJbPz3c9Uoxn2yDQu7MQQASgJ3nWKwXZcMC1dwxiw5VvZ1yEtWZ4j11XKF5KyvvWjuTkCP1K5gPBBEzoqtes2';
/** A seed and its public key, which only a derivation tells from a signature. */
const KEY = '24hLyPVqepGozvHHkQ9dogfZf16sofWTckfcTQYcA6vHvHAsbtB6pNHY4ysKewGLVUsDkGLe9KnELoMHRUh45xMt';

describe('a query with many parameters', () => {
  it('is read to its end', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => at.toString(36)).join('&');
    const query = parseQuery(`${many}&limit=1&limit=2&since=7`);
    expect([query['since'], notedIssues(query).map(({ code, field }) => [code, field])]).toEqual([
      '7',
      [['repeated', 'limit']],
    ]);
  });

  it('gives no field a text that people cannot read', () => {
    const query = parseQuery('q=a%01b&cursor=%C2%85&label=a%0Ab&%01=1&limit=5');
    expect([query['q'], query['cursor'], query['label'], query['limit']]).toEqual([
      undefined,
      undefined,
      undefined,
      '5',
    ]);
    expect(notedIssues(query).map(({ code, field }) => [code, field])).toEqual([
      ['unreadable_text', 'q'],
      ['unreadable_text', 'cursor'],
      ['unreadable_text', 'label'],
    ]);
  });

  it('lets no private key pass behind many signatures', () => {
    const query = parseQuery(`a=${SIGNATURE}&b=${SIGNATURE}&c=${SIGNATURE}&d=${SIGNATURE}&e=${KEY}&${KEY}=1&f=1`);
    expect([query['d'], query['e'], query['f']]).toEqual([SIGNATURE, undefined, '1']);
    expect(notedIssues(query).map(({ code, field }) => [code, field])).toEqual([
      ['secret_not_accepted', 'e'],
      ['secret_not_accepted', ''],
    ]);
  });

  // One derivation takes longer than all the rest of a request.
  it('has few of its parameters checked by deriving a public key', () => {
    const deriving = jest.spyOn(crypto, 'createPublicKey');
    try {
      const query = parseQuery(Array.from({ length: 80 }, (_, at) => `k${at}=${SIGNATURE}`).join('&'));
      const refused = notedIssues(query).map(({ code, field }) => [code, field]);
      expect([Object.keys(query).length, refused.length, refused[0]]).toEqual([4, 76, ['secret_not_accepted', 'k4']]);
      parseQuery(`${SIGNATURE}=1&${Array(80).fill(`k=${SIGNATURE}`).join('&')}`);
      expect(deriving.mock.calls.length).toBeLessThanOrEqual(8);
    } finally {
      deriving.mockRestore();
    }
  });
});
