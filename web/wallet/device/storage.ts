import { type KeySettings, type Sealed } from '../keys/vault.ts';
import { type Outbox, type SignedPayment } from '../review/outbox.ts';

export type Account = Readonly<{ index: number; address: string; name: string }>;

/** What this browser stores of the wallet. Every secret in it is sealed; the rest is public or a name. */
export type WalletRecord = Readonly<{
  settings: KeySettings;
  /** The entropy of the recovery words. */
  words: Sealed;
  /** The device's token for the service. */
  device: Sealed;
  /** The id of a rotation of that token whose response has not arrived. */
  rotation?: Sealed | undefined;
  deviceId: string;
  deviceName: string;
  accounts: readonly Account[];
  /** The index of the account that pays unless another is chosen. */
  paysFrom: number;
  /** The person has confirmed that they wrote down the words. */
  wordsKept: boolean;
}>;

const NAME = 'svc-wallet';
const RECORD = 'wallet';

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('wallet');
      request.result.createObjectStore('payments', { keyPath: 'key' });
    };
    request.onsuccess = () => {
      // Close it, so that another tab can upgrade or delete the database.
      request.result.onversionchange = () => request.result.close();
      request.result.onclose = () => (opened = undefined);
      resolve(request.result);
    };
    request.onerror = () => reject(request.error ?? new Error('this browser keeps nothing'));
  });
  return opened;
}

/** One transaction: all or nothing, and no other tab interferes. */
async function within<T>(
  store: 'wallet' | 'payments',
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore, done: (value: T) => void) => void,
): Promise<T> {
  const transaction = (await database()).transaction(store, mode, { durability: 'strict' });
  return new Promise((resolve, reject) => {
    let result: T;
    transaction.oncomplete = () => resolve(result);
    transaction.onabort = () => reject(transaction.error ?? new Error('it could not be kept'));
    work(transaction.objectStore(store), (value) => (result = value));
  });
}

export const readRecord = (): Promise<WalletRecord | undefined> =>
  within('wallet', 'readonly', (store, done) => {
    const request = store.get(RECORD) as IDBRequest<WalletRecord | undefined>;
    request.onsuccess = () => done(request.result);
  });

/** Stores the first record; false if another window has stored one. */
export const addRecord = (record: WalletRecord): Promise<boolean> =>
  within('wallet', 'readwrite', (store, done) => {
    const request = store.get(RECORD) as IDBRequest<WalletRecord | undefined>;
    request.onsuccess = () => {
      if (request.result === undefined) store.put(record, RECORD);
      done(request.result === undefined);
    };
  });

/** What changes, or what follows from what is stored at that moment. */
export type Change = Partial<WalletRecord> | ((stored: WalletRecord) => Partial<WalletRecord>);

/** Applies a change to what is stored, which another window may have changed; undefined if it was erased. */
export const changeRecord = (change: Change): Promise<WalletRecord | undefined> =>
  within('wallet', 'readwrite', (store, done) => {
    const request = store.get(RECORD) as IDBRequest<WalletRecord | undefined>;
    request.onsuccess = () => {
      const stored = request.result;
      const changed = stored && { ...stored, ...(typeof change === 'function' ? change(stored) : change) };
      if (changed) store.put(changed, RECORD);
      done(changed);
    };
  });

/** Deletes everything, including payments in progress. */
export async function forgetEverything(): Promise<void> {
  await within<void>('wallet', 'readwrite', (store) => void store.clear());
  await within<void>('payments', 'readwrite', (store) => void store.clear());
}

const all = (): Promise<readonly SignedPayment[]> =>
  within('payments', 'readonly', (store, done) => {
    const request = store.getAll() as IDBRequest<SignedPayment[]>;
    request.onsuccess = () => done(request.result);
  });

const one = (store: IDBObjectStore, key: string, found: (payment: SignedPayment | undefined) => void): void => {
  const request = store.get(key) as IDBRequest<SignedPayment | undefined>;
  request.onsuccess = () => found(request.result);
};

export const outbox: Outbox = {
  list: all,
  read: (key) => within('payments', 'readonly', (store, done) => one(store, key, done)),
  add: (payment) =>
    within('payments', 'readwrite', (store, done) =>
      one(store, payment.key, (kept) => {
        if (kept === undefined) store.add(payment);
        done(kept ?? payment);
      }),
    ),
  change: (key, change) =>
    within('payments', 'readwrite', (store, done) =>
      one(store, key, (kept) => {
        if (kept === undefined) return store.transaction.abort();
        const changed = { ...kept, ...change };
        store.put(changed);
        done(changed);
      }),
    ),
};
