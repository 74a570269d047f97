import { type Answered, SendWindow, WINDOW } from './send-window';

describe('the window of messages in flight to one endpoint', () => {
  /** Fills the window, and ends all messages with the same result. */
  const round = (window: SendWindow, answered: Answered): number => {
    const tickets = [];
    while (window.hasRoom) tickets.push(window.begin());
    for (const ticket of tickets) window.end(ticket, answered);
    return tickets.length;
  };

  it('doubles while messages are accepted, up to its maximum', () => {
    const window = new SendWindow();
    expect([1, 2, 3, 4, 5].map(() => round(window, 'accepted'))).toEqual([8, 16, 32, 64, WINDOW.largest]);
  });

  it('halves once for all messages that were in flight together, and not below its minimum', () => {
    const window = new SendWindow();
    round(window, 'overloaded');
    expect(window.limit).toBe(4);
    for (let rounds = 0; rounds < 5; rounds += 1) round(window, 'overloaded');
    expect(window.limit).toBe(WINDOW.smallest);
  });

  it('then grows by one a round', () => {
    const window = new SendWindow();
    round(window, 'overloaded');
    const sizes = Array.from({ length: 12 }, () => round(window, 'accepted'));
    for (const [at, size] of sizes.entries()) expect(size - (sizes[at - 1] ?? size)).toBeLessThanOrEqual(1);
    expect(sizes.at(-1)).toBeGreaterThan(6);
  });

  it('learns nothing from a refusal that has nothing to do with load, nor from a window that is not used', () => {
    const window = new SendWindow();
    round(window, 'neutral');
    for (let sent = 0; sent < 50; sent += 1) window.end(window.begin(), 'accepted');
    expect(window.limit).toBe(WINDOW.first);
    expect(window.inFlight).toBe(0);
  });
});
