import crypto from 'node:crypto';
import { parseQuery } from './query';
import { notedIssues } from './input-issues';

describe('a query with many parameters', () => {
  it('is read to its end', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => at.toString(36)).join('&');
    const query = parseQuery(`${many}&limit=1&limit=2&since=7`);
    expect([query['since'], notedIssues(query).map(({ code, field }) => [code, field])]).toEqual([
      '7',
      [['repeated', 'limit']],
    ]);
  });

  // One derivation takes longer than all the rest of a request.
  it('has few of its parameters checked by deriving a public key', () => {
    const SIGNATURE = '51qBJbPz3c9Uoxn2yDQu7MQQASgJ3nWKwXZcMC1dwxiw5VvZ1yEtWZ4j11XKF5KyvvWjuTkCP1K5gPBBEzoqtes2';
    const deriving = jest.spyOn(crypto, 'createPublicKey');
    try {
      const query = parseQuery(Array.from({ length: 80 }, (_, at) => `k${at}=${SIGNATURE}`).join('&'));
      expect([query['k79'], notedIssues(query)]).toEqual([SIGNATURE, []]);
      parseQuery(`${SIGNATURE}=1&${Array(80).fill(`k=${SIGNATURE}`).join('&')}`);
      expect(deriving.mock.calls.length).toBeLessThanOrEqual(8);
    } finally {
      deriving.mockRestore();
    }
  });
});
