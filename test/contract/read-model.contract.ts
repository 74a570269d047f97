import { type ReadModelStore } from '../../src/platform/read-model/read-model.port';
import { againstAModel } from './read-model/against-a-model';
import { applying } from './read-model/applying';
import { finding } from './read-model/finding';
import { forgetting } from './read-model/forgetting';
import { keepingValues } from './read-model/keeping-values';
import { leasing, needingNoLease, sharingOut } from './read-model/leasing';
import { paging } from './read-model/paging';
import { programmingErrors } from './read-model/programming-errors';
import { collections } from './read-model/sample-documents';

/** Real engines compare text by code points; a test double may compare by code units. */
export type TextOrder = 'code points' | 'code units';

export type ReadModelHarness = Readonly<{
  store: ReadModelStore;
  textOrder?: TextOrder;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<ReadModelStore>;
  close(): Promise<void>;
}>;

/** Whether several processes can open it at once. */
export type Sharing = 'shared' | 'exclusive';

/** The store for one test: empty, with its collections prepared. */
export type Opened = Readonly<{ store: ReadModelStore; textOrder: TextOrder; reopen(): Promise<ReadModelStore> }>;

/**
 * The contract of every read model store. Each test gets its own empty one. `runs` is how many sequences of operations
 * are compared with a model.
 */
export function readModelContract(
  name: string,
  sharing: Sharing,
  open: () => Promise<ReadModelHarness>,
  runs = 60,
): void {
  describe(`read model contract: ${name}`, () => {
    let harness: ReadModelHarness;
    let store: ReadModelStore;
    beforeEach(async () => {
      harness = await open();
      store = harness.store;
      await store.prepare(collections);
    });
    afterEach(() => harness.close());

    const opened: Opened = {
      get store() {
        return store;
      },
      get textOrder() {
        return harness.textOrder ?? 'code points';
      },
      reopen: async () => (store = await harness.reopen()),
    };
    applying(opened);
    keepingValues(opened);
    finding(opened);
    paging(opened);
    forgetting(opened);
    if (sharing === 'shared') leasing(opened);
    if (sharing === 'shared') sharingOut(opened);
    else needingNoLease(opened);
    programmingErrors(opened);
    againstAModel(opened, runs);
  });
}
