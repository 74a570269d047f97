import { hkdfSync } from 'node:crypto';
import { StoreUnavailable } from '../event-store/event-store.port';
import { seal, unseal } from './sealing';

/** What is in the log, or still held by others, can only be opened with the secret it was made with. */
const PURPOSES_OF_EVERY_SECRET = ['personal-keys', 'webhook-secret', 'derived-tokens', 'csrf'] as const;
/** Account ids are derived from addresses under the first secret, even after a rotation: an id never changes. */
const PURPOSES_OF_FIRST_SECRET = ['account-id', 'account-email'] as const;
const INHERITED_PURPOSES: readonly string[] = [...PURPOSES_OF_EVERY_SECRET, ...PURPOSES_OF_FIRST_SECRET];

const OLDER_KEYS = 'older-keys';
const SEALED_UNDER = /^(\d+)\.(.*)$/s;

/** Only these keys of a replaced secret are kept, by purpose: neither the secret itself nor, say, its audit key. */
export type OlderKeys = ReadonlyMap<string, Buffer>;

/**
 * The one secret of the installation. Keys for different uses are derived from it and never used for anything else. It
 * may be replaced (docs/adr/0018): secrets are numbered from 1, and what is made under a later one carries its number.
 */
export class ServiceSecret {
  private readonly own = new Map<string, Buffer>();

  constructor(
    private readonly secret: string,
    /** Keys of the earlier secrets, oldest first; undefined until the log has been read. */
    private older: readonly OlderKeys[] | undefined = [],
  ) {}

  /** Before the log was read, the earlier secrets are unknown: using their keys fails like an unavailable store. */
  static pendingHistory(secret: string): ServiceSecret {
    const unasked = new ServiceSecret(secret);
    unasked.older = undefined;
    return unasked;
  }

  /** A 32-byte key for one purpose, independent of all others; of this secret unless an older one is given. */
  key(purpose: string, number?: number): Buffer {
    if (number === undefined || number === this.number) return this.ownKey(purpose);
    const key = this.olderKeys[number - 1]?.get(purpose);
    if (key === undefined) throw new Error(`this service holds no key of secret ${number} for ${purpose}`);
    return key;
  }

  /** Which of the log's secrets this is, from 1. */
  get number(): number {
    return this.olderKeys.length + 1;
  }

  /** How the log identifies this secret; it reveals nothing about the secret. */
  get fingerprint(): string {
    return this.ownKey('fingerprint').toString('hex');
  }

  seal(purpose: string, about: string, plain: string): string {
    const sealed = seal(this.key(purpose), about, plain);
    return this.number === 1 ? sealed : `${this.number}.${sealed}`;
  }

  unseal(purpose: string, about: string, text: string): string {
    const [, , sealed = text] = SEALED_UNDER.exec(text) ?? [];
    return unseal(this.key(purpose, secretOf(text)), about, sealed);
  }

  /** The keys that the next secret needs to open what this one opens, readable only with the next secret. */
  sealedFor(next: ServiceSecret): string {
    const purposes = this.number === 1 ? INHERITED_PURPOSES : PURPOSES_OF_EVERY_SECRET;
    const own: OlderKeys = new Map(purposes.map((purpose) => [purpose, this.ownKey(purpose)]));
    const all = [...this.olderKeys, own].map((keys) =>
      Object.fromEntries([...keys].map(([purpose, key]) => [purpose, key.toString('base64url')])),
    );
    return seal(next.ownKey(OLDER_KEYS), OLDER_KEYS, JSON.stringify(all));
  }

  /** Takes over the keys that the previous secret left; null for the first secret of a log. */
  learn(sealed: string | null): void {
    const all = sealed === null ? [] : (JSON.parse(unseal(this.ownKey(OLDER_KEYS), OLDER_KEYS, sealed)) as object[]);
    this.older = all.map(
      (keys) =>
        new Map(Object.entries(keys).map(([purpose, key]) => [purpose, Buffer.from(key as string, 'base64url')])),
    );
  }

  private get olderKeys(): readonly OlderKeys[] {
    if (this.older === undefined) throw new StoreUnavailable('unknown', new Error('the log has not been asked yet'));
    return this.older;
  }

  private ownKey(purpose: string): Buffer {
    const known = this.own.get(purpose);
    if (known !== undefined) return known;
    const key = Buffer.from(hkdfSync('sha256', this.secret, '', `svc:${purpose}`, 32));
    this.own.set(purpose, key);
    return key;
  }
}

/** The number of the secret that a text was sealed under; one sealed under the first carries no number. */
export const secretOf = (sealed: string): number => Number(SEALED_UNDER.exec(sealed)?.[1] ?? 1);
