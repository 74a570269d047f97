import { ConfigError } from '../src/platform/config';
import { EVENT_STORE, type EventStore, LOG_START } from '../src/platform/event-store/event-store.port';
import { describeOnEachPair } from './support/pairs';
import { temporaryDirectories } from './support/temp-directory';

const secret = (letter: string): string => `only-for-tests-${letter.repeat(40)}`;

describeOnEachPair('the service secret of a log', (start) => {
  const directory = temporaryDirectories();

  it('is the one it was begun with: another stops the start and leaves no trace', async () => {
    const DATA_DIR = directory();
    const begin = (letter: string) => start({ env: { DATA_DIR, SERVICE_SECRET: secret(letter) } });
    const first = await begin('a');
    await first.stop();
    const wrong = await begin('b').then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(wrong).toBeInstanceOf(ConfigError);
    expect((wrong as Error).message).toMatch(/^SERVICE_SECRET [^\n]+$/);

    const again = await begin('a');
    const events = await again.app.get<EventStore>(EVENT_STORE).readAll(LOG_START, 1_000);
    const adopted = events.filter(({ type }) => type === 'ServiceSecretAdopted');
    expect(adopted).toHaveLength(1);
    expect(JSON.stringify(adopted[0]?.data)).not.toContain('only-for-tests');
    expect(
      new Set(events.filter(({ type }) => type === 'SigningKeyPublished').map(({ stream }) => stream)).size,
    ).toBeLessThan(2);
    await again.stop();
  });
});
