import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type Reactor } from '../src/platform/reacting/reactor';
import { Reactors } from '../src/platform/reacting/reactors';
import { READ_MODEL_STORE, type ReadModelStore } from '../src/platform/read-model/read-model.port';
import { built } from './support/child';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { eventsOfType } from './support/payments';
import { type TestService } from './support/service';

const root = join(__dirname, '..');
const REACTOR = 'revoke-with-device';

type Ran = Readonly<{ code: number | null; out: string; err: string }>;

/** As operators run it: a process next to the service. */
async function reactions(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ran> {
  const child = spawn(process.execPath, [...built('app/reactions/main.js'), ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

describeOnEachPair('the command that retries events that reactors set aside', (start, pair) => {
  let services: TestService[] = [];
  let isPoisoned = false;
  const reacted: string[] = [];

  const [settings, ask] = [
    (): Readonly<Record<string, string>> => services[0]?.settings ?? {},
    (...args: readonly string[]): Promise<Ran> => reactions(settings(), ...args),
  ];

  /** Makes the reactor fail while `isPoisoned` is set; it finds the event set aside when it starts again. */
  const poison = async ({ app }: TestService): Promise<void> => {
    const reactors = app.get(Reactors);
    const { reactors: all } = reactors as unknown as { reactors: { name: string; react: Reactor['react'] }[] };
    const reactor = all.find(({ name }) => name === REACTOR);
    if (reactor === undefined) throw new Error('no such reactor');
    reactor.react = async ({ metadata }) => {
      if (isPoisoned) throw new Error('poison');
      reacted.push(metadata.event_id);
    };
  };
  /** Restarts the reactors on whichever instance leads. */
  const beginAnew = async (): Promise<void> => {
    for (const { app } of services) {
      const reactors = app.get(Reactors);
      const isReacting = (reactors as unknown as { feed: unknown }).feed !== undefined;
      if (!isReacting) continue;
      await reactors.stop();
      await reactors.start();
    }
  };

  const untilReacted = (times: number): Promise<unknown> =>
    eventually(
      async () => reacted.length,
      (count) => count === times,
      'the reaction',
    );
  /** The state after a reactor has failed nine times at the removal. */
  const setAside = async (slot: number): Promise<void> => {
    const [first] = services;
    const [before] = first === undefined ? [] : await eventsOfType(first, 'WalletDeviceRegistered');
    const model = first?.app.get<ReadModelStore>(READ_MODEL_STORE);
    await model?.setBookmark(`${REACTOR}#aside-${slot}`, (before as RecordedEvent).position * 2n + 1n);
  };

  beforeAll(async () => {
    services = [await start()];
    // The command works through the store, so it does not matter which instance reacts.
    if (pair === 'engines') services.push(await start());
    await Promise.all(services.map(poison));
  });
  afterAll(async () => {
    for (const service of services) await service.stopAndForget();
  });

  it('reports that there is nothing to retry', async () => {
    expect(await ask('status')).toEqual({ code: 0, out: 'nothing is set aside\n', err: '' });
    expect(await ask('retry')).toEqual({ code: 0, out: 'nothing is set aside\n', err: '' });
  });

  it('counts what is set aside, retries it, and reports the result', async () => {
    const [first] = services;
    if (first === undefined) throw new Error('no service');
    const { body } = await call(`${first.url}/v1/wallet-devices`, { body: { name: 'Phone' } });
    const authorization = `Device ${body.device.device_id as string}:${body.device_token as string}`;
    await call(`${first.url}/v1/wallet-devices/${body.device.device_id as string}`, {
      method: 'DELETE',
      headers: { authorization },
    });
    // Once before the response, once by the background work.
    await untilReacted(2);
    reacted.length = 0;
    isPoisoned = true;
    await setAside(0);
    await beginAnew();
    // The reactor retries once soon after the start; the next retry would be a minute later.
    const again = 'reactor failed again at an event that was set aside';
    await eventually(
      async () => services.map(({ log }) => log()).join(''),
      (logs) => logs.includes(again),
      'the first try',
    );

    expect(await ask('status')).toEqual({ code: 1, out: `${REACTOR}: 1 set aside\n`, err: '' });
    expect(await ask('retry')).toEqual({
      code: 1,
      out: `retried 1: 0 done\n${REACTOR}: 1 set aside\n`,
      err: '',
    });
    expect(
      services
        .map(({ log }) => log())
        .join('')
        .split(again),
    ).toHaveLength(3);
    isPoisoned = false;
    expect(await ask('retry')).toEqual({ code: 0, out: 'retried 1: 1 done\nnothing is set aside\n', err: '' });
    const [event] = await eventsOfType(first, 'WalletDeviceRemoved');
    expect(reacted).toEqual([event?.metadata.event_id]);
  });

  it('is not needed after a start, which retries them soon', async () => {
    await setAside(1);
    await beginAnew();
    await untilReacted(2);
    expect((await ask('status')).code).toBe(0);
  });

  it('reports that no instance does the background work', async () => {
    await setAside(2);
    for (const { app } of services) await app.get(Reactors).stop();
    const { code, err } = await ask('retry');
    expect([code, err]).toEqual([3, expect.stringContaining('no running instance does the background work')]);
  });

  it('prints help, and refuses unknown arguments', async () => {
    expect(await ask('--help')).toEqual({ code: 0, out: expect.stringContaining('npm run reactions'), err: '' });
    expect((await ask('sing')).code).toBe(2);
    expect((await ask('retry', 'all')).code).toBe(2);
  });
});
