import { type SigningKeyDocument } from '../../../projections/agents.projection';
import { newKeyPair, signText } from '../../../test/support/agent-client';
import { type CommandRunner } from '../../platform/event-store/run-command';
import { type PageRequest, type ReadModel } from '../../platform/read-model/read-model.port';
import { Signers } from './signers';

const now = new Date('2030-01-01T00:00:00.000Z');
const [signing, other] = [newKeyPair(), newKeyPair()];
const parsed = {
  kid: 'key-1',
  claims: { aud: '', iat: 0, exp: 1, jti: 'one' },
  signed: Buffer.from('signed'),
  signature: Buffer.from(signText(signing, 'signed'), 'base64url'),
};

/** As many keys of one kid as wished, with the signing one at one place; the log agrees with all of them. */
function signersWith(count: number, place: number): Signers {
  const keys = Array.from({ length: count }, (_, index) => ({
    id: `crd_${index}`,
    agent_id: `agt_${index}`,
    public_key: index === place ? signing.publicKey : other.publicKey,
  })) as SigningKeyDocument[];
  const find = async (_collection: object, _index: string, equals: unknown[], { limit, after }: PageRequest) => {
    expect(equals).toEqual(['key-1', true]);
    const from = after ? Number(after.id) : 0;
    const to = from + limit;
    return { documents: keys.slice(from, to), next: to < count ? { sort: null, id: String(to) } : null };
  };
  const credential = {
    publicKey: signing.publicKey,
    notBefore: '2029-01-01T00:00:00.000Z',
    expiresAt: '2031-01-01T00:00:00.000Z',
    status: 'active',
  };
  const agent = { merchantId: 'mer_1', status: 'active', credentials: new Map([[`crd_${place}`, credential]]) };
  const fold = async ({ category }: { category: string }) => ({ state: category === 'merchant' ? true : agent });
  return new Signers({ fold } as unknown as CommandRunner, { find } as unknown as ReadModel);
}

describe('looking for a signer among all keys of a kid', () => {
  it.each([
    [1, 0],
    [120, 119],
    [300, 249],
  ])('of %i keys finds number %i', async (count, place) => {
    expect(await signersWith(count, place).whoSigned(parsed, now)).toEqual({
      agentId: `agt_${place}`,
      merchantId: 'mer_1',
      credentialId: `crd_${place}`,
      credentialExpiresAt: '2031-01-01T00:00:00.000Z',
      objection: undefined,
    });
  });

  it('gives up after the 250 oldest: a kid that common needs the agent’s name', async () => {
    expect(await signersWith(300, 250).whoSigned(parsed, now)).toBeUndefined();
  });

  it('finds nobody where there is none', async () => {
    expect(await signersWith(0, 0).whoSigned(parsed, now)).toBeUndefined();
  });
});
