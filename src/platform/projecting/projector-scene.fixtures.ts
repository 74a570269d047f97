import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aNewEvent } from '../../../test/support/events';
import { systemClock } from '../../kernel/clock';
import { openEmbeddedEventStore } from '../event-store/embedded/open-embedded-event-store';
import { type EventStore, StoreUnavailable } from '../event-store/event-store.port';
import { openEmbeddedReadModel } from '../read-model/embedded/open';
import { collection, type Document, type Projection } from '../read-model/projection';
import { type ReadModelStore } from '../read-model/read-model.port';
import { Projector } from './projector';

type Note = Readonly<{ id: string; by: number }>;
const notes = collection<Note>('notes');

export const noting = (version: number): Projection => ({
  name: 'noting',
  version,
  collections: [notes],
  // One that looks at what is there, as most do: what the event alone makes is not loaded.
  project: ({ stream: id }) => [{ collection: notes, id, next: () => ({ document: { id, by: version } as Document }) }],
});

export const quiet = { info: () => undefined, warn: () => undefined };

/** Whether a read would wait, and not say that something does not exist. */
export function waitsForRebuild(projector: Projector): boolean {
  const rebuilt = projector.rebuilding();
  // Nobody may complete it.
  rebuilt?.catch(() => undefined);
  return rebuilt !== undefined;
}

/** Several projectors in one process stand for several instances on one read store: they share nothing else. */
export class ProjectorScene {
  leader: number | undefined = 0;
  readonly running: Projector[] = [];
  /** Who wrote the read model, in order. */
  readonly appliedBy: number[] = [];

  private constructor(
    private readonly folder: string,
    readonly events: EventStore,
    readonly model: ReadModelStore,
  ) {}

  static async open(): Promise<ProjectorScene> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-projectors-'));
    const events = await openEmbeddedEventStore(join(folder, 'events'));
    return new ProjectorScene(folder, events, await openEmbeddedReadModel(join(folder, 'model')));
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map((projector) => projector.stop()));
    await this.model.close();
    await this.events.close();
    rmSync(this.folder, { recursive: true });
  }

  /** The store as one instance has it. */
  storeOf(who: number, changes: Partial<ReadModelStore> = {}): ReadModelStore {
    return new Proxy(this.model, {
      get: (target, name) => {
        if (name === 'apply') this.appliedBy.push(who);
        const value: unknown = Reflect.get({ ...changes }, name) ?? Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  async start(version = 1, changes: Partial<ReadModelStore> = {}): Promise<Projector> {
    const who = this.running.length;
    const leads = (): boolean => this.leader === who;
    const store = this.storeOf(who, changes);
    const projector = new Projector(this.events, store, [noting(version)], systemClock, quiet, leads);
    this.running.push(projector);
    await projector.start();
    return projector;
  }

  async append(stream: string): Promise<bigint> {
    const result = await this.events.append(stream, 0, [aNewEvent()]);
    if (result.kind === 'conflict') throw new Error('conflict');
    return result.position;
  }

  /** As a store has it that is unavailable at times. */
  stateUnless(isAway: () => boolean): ReadModelStore['state'] {
    return async () => {
      if (isAway()) throw new StoreUnavailable('unknown');
      return this.model.state();
    };
  }

  /** The version that noted it, if reads show it. */
  readonly noted = async (stream: string): Promise<number | undefined> => (await this.model.get(notes, stream))?.by;
}
