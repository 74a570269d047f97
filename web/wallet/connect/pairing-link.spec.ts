import { readPairing } from './pairing-link.ts';

const SESSION = 'prs_01JZ5Y0W3X0000000000000000';

describe('a pairing code or link', () => {
  it.each([
    ['ACDE3479', { code: 'ACDE3479' }],
    [' acde-3479 ', { code: 'ACDE3479' }],
    ['AC DE 34 79', { code: 'ACDE3479' }],
    [
      `svc://pair?session=${SESSION}&code=ACDE3479&base_url=http%3A%2F%2Fsvc.test`,
      { code: 'ACDE3479', sessionId: SESSION },
    ],
    [`SVC://PAIR?session=${SESSION}&code=acde3479`, { code: 'ACDE3479', sessionId: SESSION }],
  ])('is read: %s', (typed, expected) => {
    expect(readPairing(typed)).toEqual(expected);
  });

  it.each([
    '',
    'ACDE347',
    'ACDE34799',
    'svc_ck_abcdefghijklmnop',
    'https://elsewhere.example/pair?session=x&code=ACDE3479',
    'svc://pair?code=ACDE3479',
    `svc://pair?session=${SESSION}`,
    `svc://other?session=${SESSION}&code=ACDE3479`,
    'javascript:alert(1)',
  ])('is not: %j', (typed) => {
    expect(readPairing(typed)).toBeUndefined();
  });
});
