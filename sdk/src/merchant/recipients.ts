import { type CallOptions, type KeyedOptions, path } from '../transport.ts';
import { type NextCursor, type Page } from '../types/common.ts';
import { type Evidence, type Recipient, type RecipientFacts, type RecipientWithVersion } from '../types/merchant.ts';
import { type MerchantSession } from './session.ts';

type VerifyInput = Readonly<{ recipient_version_id: string; source_id: string; version: number }>;
type ActivateInput = Readonly<{ evidence_id: string; evidence_digest: string; version: number }>;

export class MerchantRecipients {
  constructor(private readonly session: MerchantSession) {}

  create(input: RecipientFacts & Readonly<{ name: string }>, options?: KeyedOptions) {
    return this.session.make<RecipientWithVersion>('/v1/recipients', input, options);
  }

  /** New facts for the same payee; the active version stays active until another one is activated. */
  addVersion(id: string, input: RecipientFacts & Readonly<{ version: number }>, options?: KeyedOptions) {
    return this.session.make<RecipientWithVersion>(path`/v1/recipients/${id}/versions`, input, options);
  }

  /** `source_id` is one of the merchant's verified domains. */
  verify(id: string, input: VerifyInput, options?: CallOptions) {
    type Verified = RecipientWithVersion & Readonly<{ evidence: Evidence }>;
    return this.session.post<Verified>(path`/v1/recipients/${id}/verify`, { type: 'domain_proof', ...input }, options);
  }

  activate(id: string, versionId: string, input: ActivateInput, options?: CallOptions) {
    const place = path`/v1/recipients/${id}/versions/${versionId}/activate`;
    return this.session.post<RecipientWithVersion>(place, input, options);
  }

  /** Never active again. `withdraw_pending` also withdraws what is still pending on it. */
  retire(
    id: string,
    versionId: string,
    input: Readonly<{ version: number; withdraw_pending?: boolean }>,
    options?: CallOptions,
  ) {
    const place = path`/v1/recipients/${id}/versions/${versionId}/retire`;
    return this.session.post<RecipientWithVersion>(place, input, options);
  }

  /** From facts to a payee that can be paid: create, verify with a domain, activate. */
  async createActive(
    input: RecipientFacts & Readonly<{ name: string; domain_id: string }>,
    options?: CallOptions,
  ): Promise<RecipientWithVersion> {
    const { domain_id: source_id, ...facts } = input;
    const created = await this.create(facts, options);
    const { recipient_id: id, version } = created.recipient;
    const { recipient_version_id } = created.recipient_version;
    const verified = await this.verify(id, { recipient_version_id, source_id, version }, options);
    const { evidence_id, evidence_digest } = verified.evidence;
    const proof = { evidence_id, evidence_digest, version: verified.recipient.version };
    return this.activate(id, recipient_version_id, proof, options);
  }

  list(query: Page = {}, options?: CallOptions) {
    type Recipients = NextCursor & Readonly<{ recipients: readonly Recipient[] }>;
    return this.session.get<Recipients>('/v1/recipients', query, options);
  }

  async read(id: string, options?: CallOptions): Promise<Recipient> {
    return (await this.session.get<{ recipient: Recipient }>(path`/v1/recipients/${id}`, {}, options)).recipient;
  }
}
