import { evidenceDigest, type Proof } from './evidence';
import {
  type ActivateVersion,
  type AddVersion,
  type CreateRecipient,
  type RetireVersion,
  type VerifyVersion,
} from './recipient-commands';
import { type RecipientEvent, type RecipientFacts } from '../../events/recipient.events';

const recipientId = 'rcp_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const merchantId = 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const at = '2030-01-01T00:00:00.000Z';
const own = { recipient_id: recipientId, merchant_id: merchantId } as const;

export const facts: RecipientFacts = {
  rail: 'stellar_xlm',
  network: 'stellar_testnet',
  asset: 'XLM',
  address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  memo: null,
  contract: null,
  issuer: null,
  decimals: 7,
  chain_id: null,
};
export const otherFacts: RecipientFacts = { ...facts, memo: 'invoice 7' };
export const mainnetFacts: RecipientFacts = { ...facts, network: 'stellar_public' };

export const proof: Proof = {
  type: 'domain_proof',
  domain_id: 'dom_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  domain: 'shop.example',
  method: 'dns',
  verified_at: at,
};
export const otherProof: Proof = { ...proof, domain_id: 'dom_01JZZZZZZZZZZZZZZZZZZZZZZY', domain: 'other.example' };

export const create: CreateRecipient = {
  kind: 'create',
  recipientId,
  merchantId,
  name: 'Example Shop',
  recipientVersionId: 'rcv_1',
  facts,
  at,
};
export const addVersion: AddVersion = {
  kind: 'add-version',
  recipientId,
  merchantId,
  version: 1,
  recipientVersionId: 'rcv_2',
  facts: otherFacts,
  at,
};
export const verify: VerifyVersion = {
  kind: 'verify',
  recipientId,
  merchantId,
  version: 1,
  recipientVersionId: 'rcv_1',
  evidenceId: 'evd_1',
  proof,
  isStale: false,
  at,
};
export const activate: ActivateVersion = {
  kind: 'activate',
  recipientId,
  merchantId,
  version: 2,
  recipientVersionId: 'rcv_1',
  evidenceId: 'evd_1',
  evidenceDigest: evidenceDigest(facts, proof),
  proofNow: 'holds',
  enabledNetworks: ['stellar_testnet'],
  at,
};
export const retire: RetireVersion = {
  kind: 'retire',
  recipientId,
  merchantId,
  version: 3,
  recipientVersionId: 'rcv_1',
  withdrawPending: false,
  at,
};

export const created: RecipientEvent = {
  type: 'RecipientCreated',
  data: { ...own, name: 'Example Shop', created_at: at },
};
export const versionAdded = (number: number, versionFacts = facts): RecipientEvent => ({
  type: 'RecipientVersionAdded',
  data: { ...own, recipient_version_id: `rcv_${number}`, number, facts: versionFacts, added_at: at },
});
export const versionVerified = (number: number, versionFacts = facts, by = proof): RecipientEvent => ({
  type: 'RecipientVersionVerified',
  data: {
    ...own,
    recipient_version_id: `rcv_${number}`,
    evidence_id: `evd_${number}`,
    evidence_digest: evidenceDigest(versionFacts, by),
    proof: by,
    verified_at: at,
  },
});
export const versionActivated = (number: number, superseded: number | null, versionFacts = facts): RecipientEvent => ({
  type: 'RecipientVersionActivated',
  data: {
    ...own,
    recipient_version_id: `rcv_${number}`,
    superseded_version_id: superseded === null ? null : `rcv_${superseded}`,
    evidence_id: `evd_${number}`,
    evidence_digest: evidenceDigest(versionFacts, proof),
    activated_at: at,
    in_feed: true,
  },
});
export const versionRetired = (number: number, wasActive: boolean, withdrawPending = false): RecipientEvent => ({
  type: 'RecipientVersionRetired',
  data: {
    ...own,
    recipient_version_id: `rcv_${number}`,
    number,
    was_active: wasActive,
    withdraw_pending: withdrawPending,
    retired_at: at,
  },
});
