import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModelContract } from '../../../../test/contract/read-model.contract';
import { openEmbeddedReadModel } from './open';

readModelContract('embedded', 'exclusive', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-read-model-'));
  let store = await openEmbeddedReadModel(directory);
  return {
    store,
    reopen: async () => {
      await store.close();
      return (store = await openEmbeddedReadModel(directory));
    },
    close: async () => {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
});
