import { type CommandStartedEvent, MongoClient } from 'mongodb';

export type SeenCommands = Readonly<{
  /** `<command> <collection>` of those that a create waits for, in the order of sending. */
  since(mark: number): readonly string[];
  /** What goes on with the time, whether anybody creates anything or not. */
  ofTimeSince(mark: number): readonly string[];
  mark(): number;
  stop(): void;
}>;

/**
 * Commands of clients that this process makes from now on, with a URL that says `monitorCommands=true`. Signs of life,
 * bookmarks, sweeps and the tree over the log go on with the time.
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
