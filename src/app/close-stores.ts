import { type INestApplicationContext } from '@nestjs/common';
import { EVENT_STORE, type EventStore } from '../platform/event-store/event-store.port';
import { PERSONAL_KEY_STORE, type PersonalKeyStore } from '../platform/read-model/personal-key-store.port';
import { READ_MODEL_STORE, type ReadModelStore } from '../platform/read-model/read-model.port';

/** The application first: it needs open stores to finish its work. */
export async function closeWithStores(app: INestApplicationContext): Promise<void> {
  await app.close();
  await app.get<PersonalKeyStore>(PERSONAL_KEY_STORE).close();
  await app.get<ReadModelStore>(READ_MODEL_STORE).close();
  await app.get<EventStore>(EVENT_STORE).close();
}
