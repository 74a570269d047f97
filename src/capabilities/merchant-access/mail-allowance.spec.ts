import { type Config } from '../../platform/config';
import { RateLimiter } from '../../http/server/rate-limits';
import { MailAllowance } from './mail-allowance';
import { type AccountId } from '../../kernel/aggregates';

describe('the mail allowance', () => {
  let now = 0;
  const clock = { now: () => new Date(now) };
  const allowance = (rateLimits: boolean) => new MailAllowance(new RateLimiter({ rateLimits } as Config, clock), clock);
  const take = (mails: MailAllowance, account: string, times: number): boolean[] =>
    Array.from({ length: times }, () => mails.take(account as AccountId));

  beforeEach(() => (now = Date.parse('2030-01-01T00:00:00.000Z')));

  it('lets five mails to one address through, and the next one after the lifetime of a link', () => {
    const mails = allowance(true);
    expect(take(mails, 'mac_1', 7)).toEqual([true, true, true, true, true, false, false]);
    now += 15 * 60 * 1000 - 1;
    expect(mails.take('mac_1')).toBe(false);
    now += 1;
    expect(take(mails, 'mac_1', 6)).toEqual([true, true, true, true, true, false]);
  });

  it('lets five through in any such time, not five before and five after its end', () => {
    const mails = allowance(true);
    take(mails, 'mac_1', 1);
    now += 14 * 60 * 1000;
    expect(take(mails, 'mac_1', 5)).toEqual([true, true, true, true, false]);
    now += 60 * 1000;
    expect(take(mails, 'mac_1', 5)).toEqual([true, false, false, false, false]);
    now += 14 * 60 * 1000;
    expect(take(mails, 'mac_1', 5)).toEqual([true, true, true, true, false]);
  });

  it('does not shut an address out after the clock was set back', () => {
    const mails = allowance(true);
    take(mails, 'mac_1', 5);
    now -= 60 * 60 * 1000;
    expect(take(mails, 'mac_1', 6)).toEqual([true, true, true, true, true, false]);
  });

  it('does not count a mail that was not sent, however many more were asked for meanwhile', () => {
    const mails = allowance(true);
    take(mails, 'mac_1', 50);
    mails.giveBack('mac_1');
    expect(take(mails, 'mac_1', 2)).toEqual([true, false]);
    now += 15 * 60 * 1000;
    mails.giveBack('mac_1');
    expect(take(mails, 'mac_1', 6)).toEqual([true, true, true, true, true, false]);
  });

  it('counts every address for itself', () => {
    const mails = allowance(true);
    take(mails, 'mac_1', 5);
    expect(mails.take('mac_2')).toBe(true);
    expect(mails.take('mac_1')).toBe(false);
  });

  it('does not count where limits are off', () => {
    expect(take(allowance(false), 'mac_1', 50)).not.toContain(false);
  });

  it('keeps its memory bounded under a flood of addresses', () => {
    const mails = allowance(true);
    take(mails, 'mac_first', 6);
    for (let index = 0; index < 100_000; index += 1) mails.take(`mac_${index}`);
    // The oldest made room.
    expect(mails.take('mac_first')).toBe(true);
  });
});
