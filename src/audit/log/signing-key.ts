import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config';
import { type SigningKeyEndorsed } from '../../events/signing-key.events';
import { privateKeyFrom } from '../../platform/secrets/ed25519';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import {
  type Checkpoint,
  endorsementBytes,
  type Extent,
  extentBytes,
  keyIdOf,
  sealBytes,
  type SealStatement,
  signedBytes,
} from '../proofs';

/** The key that signs checkpoints: configured, or derived from the service secret. Another key has another id. */
@Injectable()
export class SigningKey {
  readonly id: string;
  readonly publicKey: string;
  private readonly key: KeyObject;

  constructor(secret: ServiceSecret, @Inject(CONFIG) { auditSigningKey }: Config) {
    const seed = auditSigningKey === undefined ? secret.key('audit-signing') : Buffer.from(auditSigningKey, 'hex');
    this.key = privateKeyFrom(seed);
    const { x = '' } = createPublicKey(this.key).export({ format: 'jwk' });
    this.publicKey = Buffer.from(x, 'base64url').toString('hex');
    this.id = keyIdOf(this.publicKey);
  }

  checkpoint(about: Pick<Checkpoint, 'origin' | 'tree_size' | 'root' | 'time'>): Checkpoint {
    const unsigned = { ...about, key_id: this.id };
    return { ...unsigned, signature: this.sign(signedBytes(unsigned)) };
  }

  /** States what belongs to the proof of a request. */
  extent(checkpoint: Checkpoint, requestId: string, about: Omit<Extent, 'key_id' | 'signature'>): Extent {
    const unsigned = { ...about, key_id: this.id };
    return { ...unsigned, signature: this.sign(extentBytes(checkpoint, requestId, unsigned)) };
  }

  /** States what belongs to an export of a part of the log. */
  seal(checkpoint: Checkpoint, about: Readonly<{ scope: string; events: number; sha256: string }>): SealStatement {
    const bytes = sealBytes(checkpoint, { ...about, key_id: this.id });
    return { key_id: this.id, signature: this.sign(bytes) };
  }

  /** States that another key follows this one. */
  endorsement({ id: key_id, publicKey: public_key }: SigningKey): Omit<SigningKeyEndorsed['data'], 'endorsed_at'> {
    const about = { key_id, public_key, by_key_id: this.id };
    return { ...about, signature: this.sign(endorsementBytes(about)) };
  }

  private sign(bytes: Uint8Array): string {
    return sign(null, bytes, this.key).toString('hex');
  }
}
