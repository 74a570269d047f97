import { ThreadLink } from '../threads/thread-link';
import { threadNotifier } from './thread-notifier';

describe('a notification from the thread that writes the read model', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const front = () => {
    let told = 0;
    const link = new ThreadLink({ postMessage: () => (told += 1), on: () => undefined });
    const news = threadNotifier({ side: 'front', link });
    return { tell: () => news?.notify(), told: () => told };
  };

  it('is sent at once', () => {
    const { tell, told } = front();
    tell();
    expect(told()).toBe(1);
    jest.advanceTimersByTime(1_000);
    expect(told()).toBe(1);
  });

  it('is throttled under load, and the last one is still sent', () => {
    const { tell, told } = front();
    for (let ms = 0; ms < 100; ms += 1) {
      tell();
      jest.advanceTimersByTime(1);
    }
    expect(told()).toBeGreaterThanOrEqual(10);
    expect(told()).toBeLessThanOrEqual(11);
    const before = told();
    tell();
    jest.advanceTimersByTime(10);
    expect(told()).toBe(before + 1);
    jest.advanceTimersByTime(1_000);
    tell();
    expect(told()).toBe(before + 2);
  });
});
