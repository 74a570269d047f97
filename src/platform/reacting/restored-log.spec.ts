import { aNewEvent, aStream } from '../../../test/support/events';
import { eventually } from '../../../test/support/eventually';
import { temporaryDirectories } from '../../../test/support/temp-directory';
import { openEmbeddedEventStore } from '../event-store/embedded/open-embedded-event-store';
import { openEmbeddedReadModel } from '../read-model/embedded/embedded-read-model';
import { systemClock } from '../../kernel/clock';
import { Projector } from '../projecting/projector';
import { ReactorFeed } from './reactor-feed';

describe('reactors on a log that was restored from a backup', () => {
  const directory = temporaryDirectories();
  it('follow up what is written to it, once the read model was rebuilt as operators are told', async () => {
    const store = await openEmbeddedEventStore(directory());
    const model = await openEmbeddedReadModel(directory());
    // The read store has come as far as the log before the restore; the restored log is shorter.
    await model.setBookmark('red', 1_000n);
    const quiet = { info: () => undefined, warn: () => undefined };
    await new Projector(store, model, [], systemClock, quiet).rebuild(() => undefined);
    const seen: string[] = [];
    const reactor = { name: 'red', types: ['Red'], react: async ({ type }: { type: string }) => void seen.push(type) };
    const feed = new ReactorFeed(store, model, [reactor], quiet);
    await feed.start();
    await store.append(aStream(), 0, [aNewEvent('Red', { n: 1 })]);
    await eventually(
      async () => seen.length,
      (count) => count > 0,
      'a reaction',
    );
    await feed.stop();
    await model.close();
    await store.close();
    expect(seen).toEqual(['Red']);
  });
});
