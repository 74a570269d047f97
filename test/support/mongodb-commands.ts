import { type CommandStartedEvent, MongoClient } from 'mongodb';

export type SeenCommands = Readonly<{
  /** `<command> <collection>` of the commands that a create waits for, in the order sent. */
  since(mark: number): readonly string[];
  /** Commands that run periodically or in the background, whether or not anything is created. */
  ofTimeSince(mark: number): readonly string[];
  mark(): number;
  stop(): void;
}>;

/**
 * Records the commands of clients that this process creates from now on with `monitorCommands=true` in their URL.
 * Heartbeats, bookmarks, sweeps and the transparency tree count as background commands.
 */
export function seeCommands(): SeenCommands {
  const seen: Readonly<{ name: string; isOfTime: boolean }>[] = [];
  const watched = new WeakSet<MongoClient>();
  const real: (this: MongoClient) => Promise<MongoClient> = Reflect.get(MongoClient.prototype, 'connect');
  const spy = jest.spyOn(MongoClient.prototype, 'connect').mockImplementation(function (this: MongoClient) {
    if (!watched.has(this))
      this.on('commandStarted', (event) => void seen.push({ name: named(event), isOfTime: isOfTime(event) }));
    watched.add(this);
    return real.call(this);
  });
  const since = (mark: number, wanted: boolean): readonly string[] =>
    seen.slice(mark).flatMap(({ name, isOfTime: is }) => (is === wanted ? [name] : []));
  return {
    mark: () => seen.length,
    since: (mark) => since(mark, false),
    ofTimeSince: (mark) => since(mark, true),
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

const OF_THE_LOG =
  /^(find|update|findAndModify) (transparency_|merchant_feeds|merchant_feed_pages|webhook_|read_model_state)/;
const SWEPT = ['open', 'busy', 'abandoned', 'ending', 'waits_for'].map((field) => `document.${field}`);

function isOfTime(event: CommandStartedEvent): boolean {
  const { filter = {}, updates = [] } = event.command as Shape;
  const isCheckpoint = updates.some(({ q }) => q?._id === 'checkpoint');
  return (OF_THE_LOG.test(named(event)) && !isCheckpoint) || SWEPT.some((field) => field in filter);
}
