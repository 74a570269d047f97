import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type CredentialKeyEvent } from '../../events/credential-key.events';
import { type AgentId, type CredentialId } from '../../kernel/aggregates';

export type Holder = Readonly<{ agentId: AgentId; credentialId: CredentialId }>;

export type ClaimKey = Holder &
  Readonly<{
    kind: 'claim';
    keyId: string;
    /** The current holder, if the handler found that it no longer needs the key. */
    releasedCredentialId: string | null;
    at: string;
  }>;

/** A public key belongs to one credential at a time, so an assertion identifies its signer beyond doubt. */
export const credentialKey: Decider<Holder | null, ClaimKey, CredentialKeyEvent> = {
  category: 'credential_key',
  initial: null,

  decide({ keyId, agentId, credentialId, releasedCredentialId, at }, holder) {
    if (holder?.credentialId === credentialId) return [];
    if (holder !== null && holder.credentialId !== releasedCredentialId) throw refuse('credential_key_in_use');
    return [
      {
        type: 'CredentialKeyClaimed',
        data: { key_id: keyId, agent_id: agentId, credential_id: credentialId, claimed_at: at },
      },
    ];
  },

  evolve: (_holder, { data }) => ({ agentId: data.agent_id, credentialId: data.credential_id }),
};
