import { changeAgent, revokeCredential } from './support/agents';
import { bearing, connectAgent, mustBe } from './support/connections';
import { type Device, registerDevice } from './support/devices';
import { figure, progress, sizeFrom, timeLimit } from './support/figures';
import { call } from './support/http';
import { useConnection } from './support/use-connection';
import { useConnectScene } from './support/use-service';

const WORKERS = 4;
/** How many uses begin after the answer, in each round. */
const AFTERWARDS = 25;
/** 16 in a full-size run: more than a thousand races. */
const TIMES = sizeFrom('CHAOS_TIMES', 1);

jest.setTimeout(timeLimit(60_000));

/** Revocation is immediate: a use that begins after the answer is refused, however busy the connection is. */
describe('under load, a connection is refused immediately after', () => {
  let device: Device;

  const scene = useConnectScene(undefined, { env: { LOG_LEVEL: 'warn' } });
  beforeEach(async () => {
    device = await registerDevice(scene.service);
  });

  const connection = (id: string): string => `${scene.service.url}/v1/connections/${id}`;
  const set = async (id: string, status: string) =>
    mustBe(200, await call(connection(id), { method: 'PATCH', headers: device.headers, body: { status } }));

  /**
   * Uses the token continuously while it is being ended. Returns how often it was accepted before, and the outcome of
   * every use that began after the answer.
   */
  async function race(
    token: string,
    end: () => Promise<unknown>,
    use: (token: string) => Promise<string> = (held) => useConnection(scene.service, held),
  ): Promise<{ before: number; after: string[] }> {
    let phase: 'before' | 'ending' | 'after' | 'failed' = 'before';
    let before = 0;
    let isBusy = (): void => undefined;
    const busy = new Promise<void>((resolve) => (isBusy = resolve));
    const after: string[] = [];
    const worker = async (): Promise<void> => {
      while (after.length < AFTERWARDS && phase !== 'failed') {
        const begun = phase;
        const result = await use(token);
        if (begun === 'after') after.push(result);
        else if (result === 'accepted') before += 1;
        else if (phase === 'before') throw new Error(`refused before anything was ended: ${result}`);
        if (before >= WORKERS) isBusy();
        // Answers may come from memory without yielding, so yield here.
        await new Promise(setImmediate);
      }
    };
    const workers = Promise.all(Array.from({ length: WORKERS }, worker));
    try {
      await Promise.race([busy, workers]);
      phase = 'ending';
      await end();
      phase = 'after';
      await workers;
      return { before, after };
    } catch (error) {
      // Stops the users of this round.
      phase = 'failed';
      await workers.catch(() => undefined);
      throw error;
    }
  }

  /** Every distinct outcome of a use that began after the end was answered, over all rounds. */
  async function outcomes(
    rounds: number,
    round: () => Promise<{ before: number; after: string[] }>,
  ): Promise<readonly string[]> {
    const seen = new Set<string>();
    let accepted = 0;
    for (let index = 0; index < rounds * TIMES; index += 1) {
      const { before, after } = await round();
      expect(before).toBeGreaterThan(0);
      for (const outcome of after) seen.add(outcome);
      accepted += after.filter((outcome) => outcome === 'accepted').length;
      progress(index + 1, rounds * TIMES);
    }
    figure({ promise: 'revocation is immediate', tried: rounds * TIMES, lost: 0, doubled: accepted });
    return [...seen];
  }

  it('pausing', async () => {
    const { connectionId, connectionToken } = await connectAgent(scene.service, scene.agent, device);
    const seen = await outcomes(20, async () => {
      const uses = await race(connectionToken, () => set(connectionId, 'paused'));
      await set(connectionId, 'active');
      return uses;
    });
    expect(seen).toEqual(['connection_paused']);
  });

  it('pausing, seen over HTTP', async () => {
    const { connectionId, connectionToken } = await connectAgent(scene.service, scene.agent, device);
    const list = async (token: string): Promise<string> => {
      const { status, body } = await call(`${scene.service.url}/v1/payment-requests?limit=1`, {
        headers: bearing(token),
      });
      return status === 200 ? 'accepted' : (body.error.code as string);
    };
    const seen = await outcomes(5, async () => {
      const uses = await race(connectionToken, () => set(connectionId, 'paused'), list);
      await set(connectionId, 'active');
      return uses;
    });
    expect(seen).toEqual(['connection_paused']);
  });

  it('rotating the token', async () => {
    const { connectionToken, connectionId } = await connectAgent(scene.service, scene.agent, device);
    let token = connectionToken;
    const seen = await outcomes(20, () => {
      const old = token;
      return race(old, async () => {
        const { body } = mustBe(
          200,
          await call(`${connection(connectionId)}/rotate-token`, { headers: device.headers, body: {} }),
        );
        token = body.connection_token as string;
      });
    });
    expect(seen).toEqual(['invalid_token']);
  });

  it('suspending the agent', async () => {
    const agent = await scene.newAgent();
    const { connectionToken } = await connectAgent(scene.service, agent, device);
    const become = async (status: string) =>
      mustBe(200, await changeAgent(scene.service, scene.merchant, agent.agentId, { status }));
    const seen = await outcomes(10, async () => {
      const uses = await race(connectionToken, () => become('suspended'));
      await become('active');
      return uses;
    });
    expect(seen).toEqual(['agent_not_active']);
  });

  it('revoking the agent’s credential', async () => {
    const seen = await outcomes(1, async () => {
      const agent = await scene.newAgent();
      const { connectionToken } = await connectAgent(scene.service, agent, device);
      return race(connectionToken, async () =>
        mustBe(200, await revokeCredential(scene.service, scene.merchant, agent.agentId, agent.credentialId)),
      );
    });
    expect(seen).toEqual(['credential_revoked']);
  });

  it('revoking', async () => {
    const seen = await outcomes(5, async () => {
      const { connectionId, connectionToken } = await connectAgent(scene.service, scene.agent, device);
      const { headers } = device;
      return race(connectionToken, async () =>
        mustBe(200, await call(connection(connectionId), { method: 'DELETE', headers })),
      );
    });
    expect(seen).toEqual(['connection_revoked']);
  });

  it('removing the device', async () => {
    const seen = await outcomes(3, async () => {
      const lost = await registerDevice(scene.service);
      const { connectionToken } = await connectAgent(scene.service, scene.agent, lost);
      const url = `${scene.service.url}/v1/wallet-devices/${lost.deviceId}`;
      return race(connectionToken, async () =>
        mustBe(200, await call(url, { method: 'DELETE', headers: lost.headers, body: {} })),
      );
    });
    expect(seen).toEqual(['connection_revoked']);
  });
});
