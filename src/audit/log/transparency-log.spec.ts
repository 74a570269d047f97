import { join } from 'node:path';
import { type Logger } from 'pino';
import { aNewEvent, aStream } from '../../../test/support/events';
import { eventually } from '../../../test/support/eventually';
import { temporaryDirectories } from '../../../test/support/temp-directory';
import { type Config } from '../../platform/config';
import { openEmbeddedEventStore } from '../../platform/event-store/embedded/open-embedded-event-store';
import { type EventStore, LOG_START } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { systemClock } from '../../kernel/clock';
import { openEmbeddedReadModel } from '../../platform/read-model/embedded/open';
import { type Leadership } from '../../platform/reacting/leadership';
import { type Projector } from '../../platform/projecting/projector';
import { type ReadModelStore } from '../../platform/read-model/read-model.port';
import { type ServiceSecret } from '../../platform/secrets/service-secret';
import { SigningKey } from './signing-key';
import { TransparencyLog } from './transparency-log';
import { TREE_ID, trees } from '../tree/tiles';

const config = { baseUrl: 'http://svc.test', auditSigningKey: '07'.repeat(32) } as Config;
const quiet = { warn: () => undefined, error: () => undefined } as unknown as Logger;
const upToDate = { progress: { passed: () => Promise.resolve() } } as unknown as Projector;

describe('the transparency log of an instance among others', () => {
  const directory = temporaryDirectories();
  let events: EventStore;
  let model: ReadModelStore;
  let log: TransparencyLog;
  const leading = { now: false, asked: 0 };

  beforeEach(async () => {
    const folder = directory();
    events = await openEmbeddedEventStore(join(folder, 'events'));
    model = await openEmbeddedReadModel(join(folder, 'model'));
    const leads = (): boolean => {
      leading.asked += 1;
      return leading.now;
    };
    const key = new SigningKey({} as ServiceSecret, config);
    const leadership = { leads } as unknown as Leadership;
    const commands = new CommandRunner(events, systemClock, () => Promise.resolve());
    log = new TransparencyLog(key, upToDate, leadership, commands, events, model, config, systemClock, quiet);
    await events.append(aStream(), 0, [aNewEvent()]);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await log.stop();
    await model.close();
    await events.close();
  });

  const types = async (): Promise<string[]> => (await events.readAll(LOG_START, 100)).map(({ type }) => type);
  const treeSize = async (): Promise<number> => (await model.get(trees, TREE_ID))?.size ?? 0;
  const untilAsked = (times: number): Promise<unknown> => {
    const enough = leading.asked + times;
    return eventually(
      async () => leading.asked,
      (asked) => asked >= enough,
      'being asked again',
    );
  };
  const untilSigned = (): Promise<unknown> =>
    eventually(types, (all) => all.includes('CheckpointSigned'), 'a checkpoint');

  it('neither stores nor signs nor publishes before it is the leader', async () => {
    leading.now = false;
    await model.prepare([trees]);
    log.start();
    await untilAsked(3);
    expect([await types(), await treeSize()]).toEqual([['SomethingHappened'], 0]);
    leading.now = true;
    await untilSigned();
    expect(await treeSize()).toBeGreaterThan(0);
  });

  it('stores nothing when it lost the lead while computing what to store', async () => {
    leading.now = true;
    log.start();
    await untilSigned();
    const apply = jest.spyOn(model, 'apply');
    const load = model.load.bind(model);
    jest.spyOn(model, 'load').mockImplementation(async (refs) => {
      leading.now = false;
      return load(refs);
    });
    await events.append(aStream(), 0, [aNewEvent()]);
    await eventually(
      async () => leading.now,
      (leads) => !leads,
      'a look at what is stored',
    );
    await untilAsked(3);
    expect(apply).not.toHaveBeenCalled();
  });

  it('signs nothing when it lost the lead while storing', async () => {
    leading.now = true;
    const apply = model.apply.bind(model);
    jest.spyOn(model, 'apply').mockImplementation(async (writes, checkpoint) => {
      await apply(writes, checkpoint);
      leading.now = false;
    });
    log.start();
    await eventually(
      async () => leading.now,
      (leads) => !leads,
      'the first store',
    );
    await untilAsked(3);
    expect(await types()).not.toContain('CheckpointSigned');
  });
});
