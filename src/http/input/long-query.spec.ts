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
});
