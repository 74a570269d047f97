import { type Answered, SendWindow, WINDOW } from './send-window';

describe('the window of messages under way to one endpoint', () => {
  /** Sends as many as it may, and lets all of them be answered alike. */
  const round = (window: SendWindow, answered: Answered): number => {
    const tickets = [];
    while (window.hasRoom) tickets.push(window.begin());
    for (const ticket of tickets) window.end(ticket, answered);
    return tickets.length;
  };

  it('doubles while all goes well, up to its ceiling', () => {
    const window = new SendWindow();
    expect([1, 2, 3, 4, 5].map(() => round(window, 'well'))).toEqual([8, 16, 32, 64, WINDOW.largest]);
  });

  it('halves once for all that were under way when it went badly, and not below its floor', () => {
    const window = new SendWindow();
    round(window, 'badly');
    expect(window.limit).toBe(4);
    for (let rounds = 0; rounds < 5; rounds += 1) round(window, 'badly');
    expect(window.limit).toBe(WINDOW.smallest);
  });

  it('then grows by one a round', () => {
    const window = new SendWindow();
    round(window, 'badly');
    const sizes = Array.from({ length: 12 }, () => round(window, 'well'));
    for (const [at, size] of sizes.entries()) expect(size - (sizes[at - 1] ?? size)).toBeLessThanOrEqual(1);
    expect(sizes.at(-1)).toBeGreaterThan(6);
  });

  it('learns nothing from a refusal that has nothing to do with load, nor from a window that is not used', () => {
    const window = new SendWindow();
    round(window, 'otherwise');
    for (let sent = 0; sent < 50; sent += 1) window.end(window.begin(), 'well');
    expect(window.limit).toBe(WINDOW.first);
    expect(window.inFlight).toBe(0);
  });
});
