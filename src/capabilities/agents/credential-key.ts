import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type CredentialKeyEvent } from '../../events/credential-key.events';
import { type AgentId, type CredentialId } from '../../kernel/aggregates';

export type Holder = Readonly<{ agentId: AgentId; credentialId: CredentialId }>;

export type ClaimKey = Holder &
  Readonly<{
    kind: 'claim';
    keyId: string;
    /** The credential that was found to have no more use for the key, if the holder is one of those. */
    releasedCredentialId: string | null;
    at: string;
  }>;

/** A public key has one credential at a time: an assertion then says who made it, and no one can pose as another. */
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
