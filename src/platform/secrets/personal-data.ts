import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids';
import {
  isLiving,
  PERSONAL_KEY_STORE,
  type PersonalKeyStore,
  UnreadableKey,
} from '../read-model/personal-key-store.port';
import { seal, unseal } from './sealing';
import { secretOf, ServiceSecret } from './service-secret';

const WRAPPING = 'personal-keys';

export type SealedData = Readonly<{ keyId: string; sealed: string }>;

/**
 * What the log says about a person is sealed under that person's own key. Destroying the key erases it from a log that
 * itself can never be changed (docs/adr/0011).
 */
@Injectable()
export class PersonalData {
  constructor(
    private readonly secret: ServiceSecret,
    @Inject(PERSONAL_KEY_STORE) private readonly keyStore: PersonalKeyStore,
  ) {}

  /** Seals under the owner's key, which is created if there is none or it was destroyed. */
  async seal(owner: string, plain: string): Promise<SealedData> {
    const there = await this.keyStore.find(owner);
    const kept = isLiving(there) ? there : await this.makeKey(owner);
    return { keyId: kept.keyId, sealed: seal(this.unwrap(owner, kept), owner, plain) };
  }

  /** Undefined if it was erased. `keyId` is null for what was sealed before people had their own keys. */
  async unseal(owner: string, keyId: string | null, sealed: string): Promise<string | undefined> {
    const there = await this.keyStore.find(owner);
    // Erased data must not be shown, even if it could still be unsealed with the common key.
    if (keyId === null) return there === undefined ? unseal(this.common(), owner, sealed) : undefined;
    if (!isLiving(there) || there.keyId !== keyId) return undefined;
    return unseal(this.unwrap(owner, there), owner, sealed);
  }

  /** Wraps the owner's key under the newest secret, unless it already is, or the key was destroyed meanwhile. */
  async rewrap(owner: string): Promise<'rewrapped' | 'left' | 'unreadable'> {
    try {
      return await this.rewrapReadable(owner);
    } catch (error) {
      if (error instanceof UnreadableKey) return 'unreadable';
      throw error;
    }
  }

  private async rewrapReadable(owner: string): Promise<'rewrapped' | 'left' | 'unreadable'> {
    const kept = await this.keyStore.find(owner);
    if (!isLiving(kept)) return 'left';
    if (secretOf(kept.wrapped) === this.secret.number) {
      // The process that rewrapped it may have died before it removed the previous wrapping.
      await this.keyStore.rewrap(owner, kept, kept.wrapped);
      return 'left';
    }
    let key: string;
    try {
      key = this.unwrap(owner, kept).toString('base64url');
    } catch {
      return 'unreadable';
    }
    const wrapped = this.secret.seal(WRAPPING, about(owner, kept.keyId), key);
    return (await this.keyStore.rewrap(owner, kept, wrapped)) ? 'rewrapped' : 'left';
  }

  private async makeKey(owner: string): Promise<Readonly<{ keyId: string; wrapped: string }>> {
    const keyId = newId('pdk');
    const wrapped = this.secret.seal(WRAPPING, about(owner, keyId), randomBytes(32).toString('base64url'));
    const kept = await this.keyStore.keep(owner, keyId, wrapped);
    return isLiving(kept) ? kept : { keyId, wrapped };
  }

  /** The key that sealed all addresses before people had their own keys: always derived from the first secret. */
  private common(): Buffer {
    return this.secret.key('account-email', 1);
  }

  private unwrap(owner: string, { keyId, wrapped }: Readonly<{ keyId: string; wrapped: string }>): Buffer {
    return Buffer.from(this.secret.unseal(WRAPPING, about(owner, keyId), wrapped), 'base64url');
  }
}

const about = (owner: string, keyId: string): string => JSON.stringify([owner, keyId]);
