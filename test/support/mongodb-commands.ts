import { type CommandStartedEvent, MongoClient } from 'mongodb';

export type CommandRecorder = Readonly<{
  /** `<command> <collection>` of the commands that a create waits for, in the order sent. */
  since(mark: number): readonly string[];
  /** Commands that run periodically or in the background, whether or not anything is created. */
  backgroundSince(mark: number): readonly string[];
  mark(): number;
  stop(): void;
}>;

/**
 * Records the commands of clients that this process creates from now on with `monitorCommands=true` in their URL.
 * Heartbeats, bookmarks, sweeps and the transparency tree count as background commands.
 */
export function recordCommands(): CommandRecorder {
  const seen: Readonly<{ name: string; isBackground: boolean }>[] = [];
  const watched = new WeakSet<MongoClient>();
  const real: (this: MongoClient) => Promise<MongoClient> = Reflect.get(MongoClient.prototype, 'connect');
  const spy = jest.spyOn(MongoClient.prototype, 'connect').mockImplementation(function (this: MongoClient) {
    if (!watched.has(this))
      this.on('commandStarted', (event) => void seen.push({ name: named(event), isBackground: isBackground(event) }));
    watched.add(this);
    return real.call(this);
  });
  const since = (mark: number, wanted: boolean): readonly string[] =>
    seen.slice(mark).flatMap(({ name, isBackground: is }) => (is === wanted ? [name] : []));
  return {
    mark: () => seen.length,
    since: (mark) => since(mark, false),
    backgroundSince: (mark) => since(mark, true),
    stop: () => spy.mockRestore(),
  };
}

const named = ({ commandName, command }: CommandStartedEvent): string =>
  `${commandName} ${String((command as Record<string, unknown>)[commandName])}`;

type Shape = Readonly<{
  filter?: Readonly<Record<string, unknown>>;
  limit?: number;
  updates?: readonly Readonly<{ q?: Readonly<{ _id?: unknown }> }>[];
}>;

const BACKGROUND_COLLECTIONS =
  /^(find|update|findAndModify) (transparency_|merchant_feeds|merchant_feed_pages|webhook_|read_model_state)/;
const SWEPT_FIELDS = ['open', 'busy', 'abandoned', 'ending', 'waits_for', 'due'].map((field) => `document.${field}`);

function isBackground(event: CommandStartedEvent): boolean {
  const { filter = {}, updates = [] } = event.command as Shape;
  const isCheckpoint = updates.some(({ q }) => q?._id === 'checkpoint');
  return (BACKGROUND_COLLECTIONS.test(named(event)) && !isCheckpoint) || SWEPT_FIELDS.some((field) => field in filter);
}
