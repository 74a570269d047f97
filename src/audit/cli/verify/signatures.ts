import { endorsementBytes, keyIdOf, signedBytes } from '../../proofs';
import { type RecordedEvent } from '../../../platform/event-store/event-store.port';
import { verifySignature } from '../../../platform/secrets/ed25519';
import { type DataOf, is } from '../../../events';
import { type Findings } from './findings';

/** Checks every checkpoint against a key published before it. Its root is checked with the tree, not here. */
export class SignatureCheck {
  private readonly keys = new Map<string, string>();
  private readonly endorsed = new Set<string>();
  checkpoints = 0;
  /** How many events the largest of them covers. */
  covered = 0;

  constructor(
    private readonly findings: Findings,
    /** Ids or public keys that the operator has published elsewhere; without any, those in the log are trusted. */
    private readonly trustedKeys?: readonly string[],
  ) {}

  check(event: RecordedEvent): void {
    if (is(event, 'SigningKeyPublished')) {
      const { key_id, public_key } = event.data;
      if (keyIdOf(public_key) !== key_id) this.report(event, `key ${key_id} is not what its id says`);
      this.keys.set(key_id, Buffer.from(public_key, 'hex').toString('base64url'));
    }
    if (is(event, 'SigningKeyEndorsed')) this.checkEndorsement(event, event.data);
    if (!is(event, 'CheckpointSigned')) return;
    this.checkpoints += 1;
    this.covered = Math.max(this.covered, event.data.tree_size);
    const key = this.keys.get(event.data.key_id);
    if (key !== undefined && !this.isTrusted(event.data.key_id, key)) {
      this.report(event, `key ${event.data.key_id} is not one of those you trust`);
    }
    if (key === undefined) this.report(event, `key ${event.data.key_id} was never published`);
    else if (!verifySignature(key, signedBytes(event.data), Buffer.from(event.data.signature, 'hex'))) {
      this.report(event, 'the signature does not match its content');
    }
  }

  /** A key endorsed by a trusted one is trusted as well: a writer to the log who holds no key cannot forge that. */
  private checkEndorsement(event: RecordedEvent, data: DataOf<'SigningKeyEndorsed'>): void {
    const by = this.keys.get(data.by_key_id);
    const fits = by !== undefined && keyIdOf(data.public_key) === data.key_id;
    if (!fits || !verifySignature(by, endorsementBytes(data), Buffer.from(data.signature, 'hex'))) {
      this.report(event, `key ${data.by_key_id} did not endorse key ${data.key_id}`);
    } else if (this.isTrusted(data.by_key_id, by)) this.endorsed.add(data.key_id);
  }

  private isTrusted(keyId: string, key: string): boolean {
    const hex = Buffer.from(key, 'base64url').toString('hex');
    return this.endorsed.has(keyId) || (this.trustedKeys?.some((name) => name === keyId || name === hex) ?? true);
  }

  private report(event: RecordedEvent, what: string): void {
    this.findings.event('signed-checkpoints', event, what);
  }
}
