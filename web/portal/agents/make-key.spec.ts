import { type AgentKeyPair } from '../../../sdk/src/agent-key.ts';
import { type MerchantClient } from '../../../sdk/src/merchant/client.ts';
import { makeKeyHere } from './make-key.ts';

const saved: { name: string; text: string }[] = [];
jest.mock('../shell/save-file.ts', () => ({
  saveFile: (name: string, text: string) => void saved.push({ name, text }),
}));
jest.mock('../../live/service.ts', () => ({ baseUrl: 'https://svc.example' }));

describe('a key that is made on the page', () => {
  let key: AgentKeyPair | undefined;
  const serviceThat = (answer: () => Promise<unknown>): MerchantClient =>
    ({
      agents: { addKey: (_agentId: string, given: AgentKeyPair) => ((key = given), answer()) },
    }) as unknown as MerchantClient;

  beforeEach(() => void (saved.length = 0));

  it('is only in the saved file afterwards', async () => {
    let seed = '';
    const client = serviceThat(async () => (seed = Buffer.from(key!.secretKey.subarray(0, 32)).toString('base64url')));
    expect(await makeKeyHere(client, 'agt_1')).toBe('agt_1.json');
    expect(saved).toHaveLength(1);
    expect(JSON.parse(saved[0]!.text)).toMatchObject({
      url: 'https://svc.example',
      agent_id: 'agt_1',
      private_key: seed,
    });
    expect([...key!.secretKey].every((byte) => byte === 0)).toBe(true);
  });

  it('is nowhere if the service refused it', async () => {
    await expect(
      makeKeyHere(
        serviceThat(() => Promise.reject(new Error('no'))),
        'agt_1',
      ),
    ).rejects.toThrow('no');
    expect(saved).toEqual([]);
    expect([...key!.secretKey].every((byte) => byte === 0)).toBe(true);
  });
});
