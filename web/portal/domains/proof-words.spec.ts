import { proofTitle, proofWords } from './proof-words.ts';

describe('why a domain is not proven yet', () => {
  it.each([
    ['record_not_found', 'Not found yet', 'No such record'],
    ['record_mismatch', 'Does not match yet', 'The record has a different value'],
    ['dns_failed', 'Not found yet', 'The name could not be looked up'],
    ['content_mismatch', 'Does not match yet', 'The file has different content'],
    ['unexpected_status', 'Not found yet', 'unexpected status'],
  ])('is said in words: %s', (reason, title, words) => {
    expect([proofTitle(reason), proofWords(reason)]).toEqual([title, words]);
  });
});
