import { type Review, type ReviewNotice } from '../../../sdk/src/types/review.ts';
import { type Payment } from './payments.ts';
import { expectAsShown } from './still-as-shown';

const NOW = Date.parse('2030-01-01T12:00:00.000Z');
jest.mock('../../live/clock.ts', () => ({ serviceNow: () => NOW }));

const payment = (notices: readonly ReviewNotice[], change: Partial<Payment> = {}): Payment =>
  ({ status: 'pending', expiresAt: '2030-01-01T12:00:01.000Z', review: { notices } as Review, ...change }) as Payment;
const notice = (code: string, change: Partial<ReviewNotice> = {}): ReviewNotice => ({
  code,
  severity: 'warning',
  message: `${code}.`,
  ...change,
});

describe('what a person approves', () => {
  const many = notice('many_requests', { since: '2030-01-01T11:00:00.000Z' });
  const same = notice('same_intent_open', { request_ids: ['pr_1'] });

  it.each<[string, readonly ReviewNotice[], readonly ReviewNotice[]]>([
    ['nothing', [], []],
    ['the same', [many, same], [same, many]],
    ['less', [many, same], []],
    ['a newer time', [many], [{ ...many, since: '2030-01-01T11:30:00.000Z' }]],
    ['fewer requests', [notice('same_intent_open', { request_ids: ['pr_1', 'pr_2'] })], [same]],
  ])('is signed if they have read everything: %s', (_, shown, now) => {
    expect(() => expectAsShown(payment(shown), payment(now))).not.toThrow();
  });

  it.each<[string, readonly ReviewNotice[], readonly ReviewNotice[]]>([
    ['a notice', [same], [same, many]],
    ['a severity', [many], [{ ...many, severity: 'danger' }]],
    ['another request', [same], [notice('same_intent_open', { request_ids: ['pr_1', 'pr_2'] })]],
  ])('is not signed if something is new: %s', (_, shown, now) => {
    expect(() => expectAsShown(payment(shown), payment(now))).toThrow(`since you looked: ${now.at(-1)?.message}`);
  });

  it('is not signed once it no longer waits', () => {
    expect(() => expectAsShown(payment([]), payment([], { status: 'rejected' }))).toThrow('no longer waits');
    const over = { expiresAt: new Date(NOW).toISOString() };
    expect(() => expectAsShown(payment([]), payment([], over))).toThrow('no longer waits');
  });
});
