import { type CommandStartedEvent, MongoClient } from 'mongodb';

export type SeenCommands = Readonly<{
  /** `<command> <collection>` of those that a create waits for, in the order of sending. */
  since(mark: number): readonly string[];
  mark(): number;
  stop(): void;
}>;

/**
 * Commands of clients that this process makes from now on, with a URL that says `monitorCommands=true`. What goes on with the
 * time, whether anybody creates anything or not, is left out: signs of life, bookmarks, sweeps, the tree over the log.
 */
export function seeCommands(): SeenCommands {
  const seen: string[] = [];
  const watched = new WeakSet<MongoClient>();
  const real: (this: MongoClient) => Promise<MongoClient> = Reflect.get(MongoClient.prototype, 'connect');
  const spy = jest.spyOn(MongoClient.prototype, 'connect').mockImplementation(function (this: MongoClient) {
    if (!watched.has(this)) this.on('commandStarted', (event) => void (isOfTime(event) || seen.push(named(event))));
    watched.add(this);
    return real.call(this);
  });
  return { mark: () => seen.length, since: (mark) => seen.slice(mark), stop: () => spy.mockRestore() };
}

const named = ({ commandName, command }: CommandStartedEvent): string =>
  `${commandName} ${String((command as Record<string, unknown>)[commandName])}`;

type Shape = Readonly<{
  filter?: Readonly<Record<string, unknown>>;
  limit?: number;
  updates?: readonly Readonly<{ q?: Readonly<{ _id?: unknown }> }>[];
}>;

const OF_THE_LOG = /^(find|update) (transparency_|merchant_feeds|merchant_feed_pages|webhook_|read_model_state)/;
const SWEPT = ['open', 'busy', 'abandoned', 'ending', 'waits_for'].map((field) => `document.${field}`);

function isOfTime(event: CommandStartedEvent): boolean {
  const { filter = {}, updates = [] } = event.command as Shape;
  const isCheckpoint = updates.some(({ q }) => q?._id === 'checkpoint');
  return (OF_THE_LOG.test(named(event)) && !isCheckpoint) || SWEPT.some((field) => field in filter);
}
