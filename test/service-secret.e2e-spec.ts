import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../src/platform/config';
import {
  EVENT_STORE,
  type EventStore,
  LOG_START,
  type RecordedEvent,
} from '../src/platform/event-store/event-store.port';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { aNewEvent, aStream } from './support/events';
import { eventually } from './support/eventually';
import { describeOnEachPair } from './support/pairs';
import { secretHere } from './support/secret-command';
import { startTestService } from './support/service';
import { temporaryDirectories } from './support/temp-directory';

const secret = (letter: string): string => `only-for-tests-${letter.repeat(40)}`;

describeOnEachPair('the service secret of a log', (start) => {
  const directory = temporaryDirectories();

  it('is the one it began with: another stops the start and leaves no trace', async () => {
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

describe('a service secret in the data directory', () => {
  const directory = temporaryDirectories();
  const begun = async (DATA_DIR: string): Promise<string> => {
    await (await startTestService({ env: { DATA_DIR } })).stop();
    return readFileSync(join(DATA_DIR, 'service-secret'), 'utf8');
  };
  const filesOf = (DATA_DIR: string): readonly string[] =>
    readdirSync(DATA_DIR).filter((name) => name.startsWith('service-secret'));

  it('is replaced by a generated one', async () => {
    const DATA_DIR = directory();
    const before = await begun(DATA_DIR);
    const { code, lines } = await secretHere({ DATA_DIR }, ['rotate']);
    const after = readFileSync(join(DATA_DIR, 'service-secret'), 'utf8');
    expect([code, filesOf(DATA_DIR), after === before]).toEqual([0, ['service-secret'], false]);
    for (const text of [before, after]) expect(lines.join('\n')).not.toContain(text.trim());
    expect(await begun(DATA_DIR)).toBe(after);
  });

  it('is removed when another is given, and a start without that one is refused', async () => {
    const DATA_DIR = directory();
    await begun(DATA_DIR);
    const { code, lines } = await secretHere({ DATA_DIR, NEW_SERVICE_SECRET: secret('n') }, ['rotate']);
    expect([code, filesOf(DATA_DIR)]).toEqual([0, []]);
    expect(lines.join('\n')).toContain('start with SERVICE_SECRET from now on');
    await expect(startTestService({ env: { DATA_DIR } })).rejects.toThrow(ConfigError);
    await (await startTestService({ env: { DATA_DIR, SERVICE_SECRET: secret('n') } })).stop();
  });

  it('does not affect a separate audit key', async () => {
    const DATA_DIR = directory();
    const env = { DATA_DIR, AUDIT_SIGNING_KEY: '07'.repeat(32) };
    const typesAfterStart = async (): Promise<string[]> => {
      const service = await startTestService({ env });
      const read = () => service.app.get<EventStore>(EVENT_STORE).readAll(LOG_START, 1_000);
      const isSigned = (events: readonly RecordedEvent[]): boolean =>
        events.some(({ type }) => type === 'SigningKeyPublished');
      const events = await eventually(read, isSigned, 'the audit key');
      await service.stop();
      return events.map(({ type }) => type).filter((type) => type !== 'CheckpointSigned');
    };
    await typesAfterStart();
    const { code, lines } = await secretHere(env, ['rotate']);
    expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('still signed with AUDIT_SIGNING_KEY')]);
    expect((await typesAfterStart()).sort()).toEqual([
      'ServiceSecretAdopted',
      'ServiceSecretRotated',
      'SigningKeyPublished',
    ]);
  });

  it('is not generated if there is no log', async () => {
    const DATA_DIR = directory();
    const nothing = await secretHere({ DATA_DIR }, ['rotate']);
    expect([nothing.code, existsSync(join(DATA_DIR, 'service-secret'))]).toEqual([2, false]);
    const given = { DATA_DIR, SERVICE_SECRET: secret('a'), NEW_SERVICE_SECRET: secret('b') };
    expect(await secretHere(given, ['rotate'])).toMatchObject({ code: 2, notes: expect.stringContaining('no log') });
  });

  it('is not known before the first start on a log of an older version, which says nothing about it', async () => {
    const DATA_DIR = directory();
    const store = await openEmbeddedEventStore(join(DATA_DIR, 'events'));
    await store.append(aStream(), 0, [aNewEvent()]);
    await store.close();
    const { code, notes } = await secretHere({ DATA_DIR }, ['status']);
    expect([code, notes]).toEqual([1, expect.stringContaining('start the service on it once')]);
  });

  it('is not printed if it was given as an argument, and help explains the usage', async () => {
    const { code, notes } = await secretHere({}, ['rotate', secret('n')]);
    expect([code, notes]).toEqual([2, expect.not.stringContaining(secret('n'))]);
    expect(await secretHere({}, ['--help'])).toMatchObject({ code: 0, notes: '' });
    expect((await secretHere({}, [])).code).toBe(2);
    expect((await secretHere({}, ['turn'])).code).toBe(2);
  });
});
