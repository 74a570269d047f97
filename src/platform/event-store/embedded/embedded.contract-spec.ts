import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventStoreContract } from '../../../../test/contract/event-store.contract';
import { openEmbeddedEventStore } from './open-embedded-event-store';

eventStoreContract('embedded', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'event store-'));
  const store = await openEmbeddedEventStore(directory);
  const close = async (): Promise<void> => {
    await store.close();
    await rm(directory, { recursive: true });
  };
  return { store, interrupt: () => Promise.resolve(), close };
});
