import { type SigningKeyDocument } from '../../../projections/agents.projection';
import { newKeyPair, signText } from '../../../test/support/agent-client';
import { type CommandRunner } from '../../platform/event-store/run-command';
import { type PageRequest, type ReadModel } from '../../platform/read-model/read-model.port';
import { MAX_KEYS_TRIED, Signers } from './signers';

const now = new Date('2030-01-01T00:00:00.000Z');
const [signing, other] = [newKeyPair(), newKeyPair()];
const parsed = {
  kid: 'key-1',
  claims: { aud: '', iat: 0, exp: 1, jti: 'one' },
  signed: Buffer.from('signed'),
  signature: Buffer.from(signText(signing, 'signed'), 'base64url'),
};

/** As many keys of one kid as wished, the newest first, with the signing one at one place; the log agrees with all of them. */
function signersWith(count: number, place: number, asked: unknown[] = []): Signers {
  const keys = Array.from({ length: count }, (_, index) => ({
    id: `crd_${index}`,
    agent_id: `agt_${index}`,
    public_key: index === place ? signing.publicKey : other.publicKey,
  })) as SigningKeyDocument[];
  const find = async (_collection: object, _index: string, equals: unknown[], { limit, order }: PageRequest) => {
    asked.push([...equals, order, limit]);
    const found = equals[1] === 'active' ? keys : [];
    return { documents: found.slice(0, limit), next: found.length > limit ? { sort: null, id: '' } : null };
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
    [20, 19],
    [300, MAX_KEYS_TRIED - 1],
  ])('of %i keys finds number %i', async (count, place) => {
    expect(await signersWith(count, place).whoSigned(parsed, now)).toEqual({
      signer: {
        agentId: `agt_${place}`,
        merchantId: 'mer_1',
        credentialId: `crd_${place}`,
        credentialExpiresAt: '2031-01-01T00:00:00.000Z',
        objection: undefined,
      },
      ambiguous: false,
    });
  });
  it('gives up after the newest, and says that there are more', async () => {
    const asked: unknown[] = [];
    const search = await signersWith(300, MAX_KEYS_TRIED, asked).whoSigned(parsed, now);
    expect(search).toEqual({ signer: undefined, ambiguous: true });
    expect(asked).toEqual([
      ['key-1', 'active', 'desc', MAX_KEYS_TRIED],
      ['key-1', 'ended', 'desc', 4],
    ]);
  });
  it('finds nobody where there is none', async () => {
    expect(await signersWith(0, 0).whoSigned(parsed, now)).toEqual({ signer: undefined, ambiguous: false });
    expect(await signersWith(20, 21).whoSigned(parsed, now)).toEqual({ signer: undefined, ambiguous: false });
  });
});
