import { SvcError } from '../../../sdk/src/errors.ts';
import { type WalletClient } from '../../../sdk/src/wallet-client.ts';
import { keyFromPassphrase } from '../keys/open-vault.ts';
import { isSame, newKeySettings, open, seal } from '../keys/vault.ts';
import { clientOf, registerDevice } from './device-client.ts';
import { rotateToken } from './rotation.ts';
import {
  type Account,
  addRecord,
  type Change,
  changeRecord,
  forgetEverything,
  readRecord,
  type WalletRecord,
} from './storage.ts';

export type Unlocked = Readonly<{
  kind: 'unlocked';
  client: WalletClient;
  record: WalletRecord;
  /** Aborted when the wallet locks: work in progress stops there and is resumed later. */
  ended: AbortSignal;
}>;

export type WalletState =
  | Readonly<{ kind: 'starting' | 'fresh' | 'unusable' }>
  | Readonly<{ kind: 'locked'; deviceName: string }>
  | Unlocked;

/** The wallet locks after this long without input. */
const LOCK_AFTER_MS = 10 * 60_000;

const text = new TextEncoder();

/**
 * This browser's wallet: sealed until its passphrase opens it, and again after some idle minutes, a reload or on
 * request. The words are unsealed only while something is signed or shown.
 */
class Wallet {
  #state: WalletState = { kind: 'starting' };
  #key: CryptoKey | undefined;
  #ended = new AbortController();
  #idle: ReturnType<typeof setTimeout> | undefined;
  #usedAt = 0;
  readonly #listeners = new Set<() => void>();
  #windows: BroadcastChannel | undefined;

  get state(): WalletState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  async start(): Promise<void> {
    // Browsers offer cryptography only in a secure context: this page was opened over plain http from another machine.
    if (!window.isSecureContext) return this.#setState({ kind: 'unusable' });
    this.#windows = new BroadcastChannel('svc-wallet');
    this.#windows.onmessage = () => this.lock();
    const record = await readRecord();
    this.#setState(record ? { kind: 'locked', deviceName: record.deviceName } : { kind: 'fresh' });
    for (const type of ['pointerdown', 'keydown']) window.addEventListener(type, () => this.#restartIdleTimer());
  }

  /** Registers a device and makes a key from new or given words. Nothing is stored unless both succeed. */
  async setUp(input: Readonly<{ deviceName: string; passphrase: string; words?: Uint8Array }>): Promise<void> {
    const [{ addressOf }, { newWords, readWords, wordsOf }] = await Promise.all([
      import('../keys/stellar-key.ts'),
      import('../keys/recovery-words.ts'),
    ]);
    const fresh = readWords(newWords());
    if (!('entropy' in fresh)) throw new Error('no words could be made');
    const entropy = new Uint8Array(input.words ?? fresh.entropy);
    const address = addressOf(wordsOf(entropy), 0);
    const settings = newKeySettings();
    const key = await keyFromPassphrase(input.passphrase, settings);
    const { client, device, token } = await registerDevice(input.deviceName);
    const record: WalletRecord = {
      settings,
      words: await seal(key, 'words', entropy),
      device: await seal(key, 'device', text.encode(token)),
      deviceId: device,
      deviceName: input.deviceName,
      accounts: [{ index: 0, address, name: 'Account 1' }],
      paysFrom: 0,
      wordsKept: input.words !== undefined,
    };
    if (!(await addRecord(record))) throw new Error('Another window has set up this wallet. Reload this page.');
    // Browsers evict stored data when space is short, unless they are asked not to.
    void navigator.storage?.persist?.();
    this.#setUnlocked(key, client, record);
  }

  async unlock(passphrase: string): Promise<void> {
    const before = await readRecord();
    if (before === undefined) return this.#setState({ kind: 'fresh' });
    const key = await keyFromPassphrase(passphrase, before.settings);
    const old = await clientOf(before, key);
    // With the old token, the service would refuse everything else.
    if (before.rotation !== undefined)
      await this.#rotate({ client: old, key, record: before, timeoutMs: 5_000 }).catch(() => undefined);
    // Another window may have replaced the token meanwhile, or erased everything.
    const record = await readRecord();
    if (record === undefined) return this.#setState({ kind: 'fresh' });
    this.#setUnlocked(key, await clientOf(record, key), record);
  }

  lock(): void {
    if (this.#state.kind !== 'unlocked') return;
    const { deviceName } = this.#state.record;
    this.#close();
    this.#setState({ kind: 'locked', deviceName });
  }

  /** On request: whoever locks the wallet does not want it open in a window that they forgot. */
  lockEverywhere(): void {
    this.#windows?.postMessage('lock');
    this.lock();
  }

  /** Unseals the words for as long as the work takes. */
  async withWords<T>(work: (words: string) => T | Promise<T>): Promise<T> {
    const { record, key } = this.#requireUnlocked();
    const [entropy, { wordsOf }] = await Promise.all([
      open(key, 'words', record.words),
      import('../keys/recovery-words.ts'),
    ]);
    if (entropy === undefined) throw new Error('The words can no longer be read.');
    try {
      return await work(wordsOf(entropy));
    } finally {
      entropy.fill(0);
    }
  }

  /** Asked for again before a secret is shown: somebody else may be holding the unlocked phone. */
  async checkPassphrase(passphrase: string): Promise<void> {
    const { record } = this.#requireUnlocked();
    await clientOf(record, await keyFromPassphrase(passphrase, record.settings));
  }

  async addAccount(name: string): Promise<Account> {
    const record = (await readRecord()) ?? this.#requireUnlocked().record;
    const index = Math.max(...record.accounts.map((account) => account.index)) + 1;
    const { addressOf } = await import('../keys/stellar-key.ts');
    const account = { index, address: await this.withWords((words) => addressOf(words, index)), name };
    await this.#updateRecord({ accounts: [...record.accounts, account] });
    return account;
  }

  payFrom = (index: number): Promise<void> => this.#updateRecord({ paysFrom: index });

  wordsKept = (): Promise<void> => this.#updateRecord({ wordsKept: true });

  async rotateToken(): Promise<void> {
    const { client, key, record } = this.#requireUnlocked();
    await this.#rotate({ client, key, record: (await readRecord()) ?? record });
  }

  async #rotate(parts: Omit<Parameters<typeof rotateToken>[0], 'store'>): Promise<void> {
    await rotateToken({ ...parts, store: (change) => this.#store(change) });
    // Another window has the old token, and learns of the new one when it is unlocked.
    this.#windows?.postMessage('lock');
  }

  /**
   * The service refuses the token. If another window has replaced it, this one locks: unlocking reads the new one. If a
   * rotation has no response yet, it is repeated. Otherwise the service does not know the device any more: it would be
   * refused after every unlock, but the person still needs their words and keys.
   */
  async tokenRefused(): Promise<void> {
    const stored = await readRecord();
    if (this.#state.kind !== 'unlocked') return;
    if (!isSame(stored?.device, this.#state.record.device)) this.lock();
    else if (stored?.rotation !== undefined) await this.rotateToken().catch(() => undefined);
  }

  /** Removes the device at the service, and with it every connection; then deletes everything stored here. */
  async remove(): Promise<void> {
    const { client, record } = this.#requireUnlocked();
    try {
      await client.removeDevice();
    } catch (error) {
      if (!(error instanceof SvcError && error.status === 401)) throw error;
      // Perhaps only its token was replaced. Otherwise it is gone there already: an earlier response may have been lost.
      await this.tokenRefused();
      const { record: now } = this.#requireUnlocked();
      if (now.rotation !== undefined) throw error;
      if (!isSame(now.device, record.device)) return this.remove();
    }
    await this.forget();
  }

  async forget(): Promise<void> {
    await forgetEverything();
    // Another window would still have the key.
    this.#windows?.postMessage('lock');
    this.#close();
    this.#setState({ kind: 'fresh' });
  }

  #requireUnlocked(): Unlocked & Readonly<{ key: CryptoKey }> {
    if (this.#state.kind !== 'unlocked' || this.#key === undefined) throw new Error('The wallet is locked.');
    return { ...this.#state, key: this.#key };
  }

  async #updateRecord(change: Partial<WalletRecord>): Promise<void> {
    this.#requireUnlocked();
    await this.#store(change);
  }

  async #store(change: Change): Promise<void> {
    const record = await changeRecord(change);
    if (record === undefined) {
      this.#close();
      return this.#setState({ kind: 'fresh' });
    }
    if (this.#state.kind === 'unlocked') this.#setState({ ...this.#state, record });
  }

  #setUnlocked(key: CryptoKey, client: WalletClient, record: WalletRecord): void {
    this.#close();
    this.#key = key;
    this.#ended = new AbortController();
    this.#usedAt = Date.now();
    this.#setState({ kind: 'unlocked', client, record, ended: this.#ended.signal });
    this.#restartIdleTimer();
  }

  #close(): void {
    this.#ended.abort(new Error('The wallet is locked.'));
    this.#key = undefined;
    clearTimeout(this.#idle);
  }

  #restartIdleTimer(): void {
    if (this.#state.kind !== 'unlocked') return;
    // Timers do not run while the machine sleeps.
    if (Date.now() - this.#usedAt > LOCK_AFTER_MS) return this.lock();
    this.#usedAt = Date.now();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.lock(), LOCK_AFTER_MS);
  }

  #setState(state: WalletState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const wallet = new Wallet();
