import { given } from '../../../test/support/given';
import { type ClaimKey, credentialKey } from './credential-key';
import { type CredentialKeyEvent } from '../../events/credential-key.events';

const at = '2030-01-01T00:00:00.000Z';
const claim: ClaimKey = {
  kind: 'claim',
  keyId: 'cpk_1',
  agentId: 'agt_1',
  credentialId: 'crd_1',
  releasedCredentialId: null,
  at,
};
const claimedBy = (number: number): CredentialKeyEvent => ({
  type: 'CredentialKeyClaimed',
  data: { key_id: 'cpk_1', agent_id: `agt_${number}`, credential_id: `crd_${number}`, claimed_at: at },
});

const past = given(credentialKey);

describe('a public key', () => {
  it('is claimed', () => past().when(claim).then(claimedBy(1)));
  it('is not claimed from a credential that holds it', () =>
    past(claimedBy(2)).when(claim).thenRefused('credential_key_in_use'));
  it('is taken over from a credential that was found released', () =>
    past(claimedBy(2))
      .when({ ...claim, releasedCredentialId: 'crd_2' })
      .then(claimedBy(1)));
  it('is not taken over when another call was faster', () =>
    past(claimedBy(2), claimedBy(3))
      .when({ ...claim, releasedCredentialId: 'crd_2' })
      .thenRefused('credential_key_in_use'));
});
