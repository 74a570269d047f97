import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { LOG_START } from '../src/platform/event-store/event-store.port';
import { derivedId } from '../src/kernel/ids';
import { type ActiveAgent, BASE_URL, createActiveAgent } from './support/agents';
import { type ServiceProcess, spawnService } from './support/child';
import { bearing, type Claimed, claimInvitation, decide, exchange, startPairing } from './support/connections';
import { type Device, registerDevice } from './support/devices';
import { startDnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { figure, progress, sizeFrom, timeLimit } from './support/figures';
import { call } from './support/http';
import { grantFor, signUpMerchant } from './support/merchant';
import { startTestService } from './support/service';

/** 100 in a full-size run. */
const ROUNDS = sizeFrom('CHAOS_ROUNDS', 2);
const SPENDS = ['GrantSpentOnMerchant', 'ConnectInvitationApproved', 'PairingSessionApproved'];
const EFFECTS = ['MerchantCreated', 'ConnectionCreated'];

/** What was spent just before the service died. */
type Begun = Readonly<{ email: string; grant: string; claimed: Claimed; sessionId: string; code: string }>;

describe('a service that is killed after a one-time credential was spent but before it took effect', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-spent-'));
  let running: ServiceProcess;
  let agent: ActiveAgent;
  let device: Device;
  /** Refers to whichever process is running. */
  const here = {
    dataDir,
    get url() {
      return running.url;
    },
  };

  beforeAll(async () => {
    const dns = await startDnsResponder();
    const service = await startTestService({ dataDir, env: { DNS_SERVERS: dns.server } });
    const merchant = await signUpMerchant(service, { dns });
    running = { url: service.url } as ServiceProcess;
    agent = await createActiveAgent(here, merchant);
    device = await registerDevice(service);
    await service.stop();
    await dns.close();
    running = await start();
  });
  afterAll(async () => {
    running.child.kill('SIGKILL');
    await running.ended;
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = (): Promise<ServiceProcess> => {
    const settings = { DATA_DIR: dataDir, BASE_URL, LOG_LEVEL: 'silent' };
    const death = { DIE_AFTER: SPENDS.join(), EFFECTS: EFFECTS.join() };
    return spawnService({ ...settings, ...death }, 'test/support/dying-service.ts');
  };
  const createMerchant = (grant: string) => call(`${here.url}/v1/merchants`, { body: { grant, name: 'Shop' } });
  const approvePairing = ({ sessionId, code }: Pick<Begun, 'sessionId' | 'code'>) =>
    call(`${here.url}/v1/pairing/sessions/${sessionId}/approve`, { headers: device.headers, body: { code } });

  /** Spends one of each; the service dies without having answered. */
  async function spendAndDie(round: number): Promise<Begun> {
    const email = `spender-${round}@example.test`;
    const [{ grant }, claimed, { sessionId, code }] = await Promise.all([
      grantFor(here, email),
      claimInvitation(here, agent, device),
      startPairing(here, agent),
    ]);
    const begun = { email, grant, claimed, sessionId, code };
    const unheard = await Promise.allSettled([
      createMerchant(grant),
      decide(here, device, claimed.invitationId, 'approve'),
      approvePairing(begun),
    ]);
    expect(unheard.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await running.ended;
    return begun;
  }

  /** What is wrong after the next start: everything must be completed without a call, and nothing spendable again. */
  async function problemsAfter(begun: Begun): Promise<string[]> {
    const { email, grant, claimed, sessionId } = begun;
    const connectionOf = (origin: string) =>
      call(`${here.url}/v1/connections/${derivedId('con', origin)}`, { headers: device.headers });
    for (const origin of [claimed.invitationId, sessionId]) {
      await eventually(
        () => connectionOf(origin),
        ({ status }) => status === 200,
        `the connection of ${origin}`,
      );
    }
    const { merchants } = await eventually(
      () => grantFor(here, email),
      (found) => found.merchants.length > 0,
      'the merchant',
    );
    const again = [await createMerchant(grant), await approvePairing(begun)].map(({ status }) => status);
    const tokens = [await exchange(here, claimed), await exchange(here, claimed)].map(({ status }) => status);
    const url = `${here.url}/v1/pairing/sessions/${sessionId}?code=${begun.code}`;
    const looks = [0, 1].map(
      async () => 'connection_token' in (await call(url, { headers: bearing(await agent.token()) })).body,
    );
    const seen = JSON.stringify([merchants.length, again, tokens, (await Promise.all(looks)).sort()]);
    return seen === '[1,[401,409],[200,409],[false,true]]' ? [] : [`${email}: ${seen}`];
  }

  async function countsInLog(): Promise<Readonly<Record<string, number>>> {
    const store = await openEmbeddedEventStore(join(dataDir, 'events'));
    const counts: Record<string, number> = Object.fromEntries([...SPENDS, ...EFFECTS].map((type) => [type, 0]));
    for (let page = await store.readAll(LOG_START, 1_000); page.length > 0;) {
      for (const { type } of page) if (type in counts) counts[type] = (counts[type] ?? 0) + 1;
      page = await store.readAll(page.at(-1)?.position ?? LOG_START, 1_000);
    }
    await store.close();
    return counts;
  }

  it(
    `completes what it began, once (${ROUNDS} rounds)`,
    async () => {
      const problems: string[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const begun = await spendAndDie(round);
        running = await start();
        problems.push(...(await problemsAfter(begun)));
        progress(round + 1, ROUNDS);
      }
      running.child.kill('SIGKILL');
      await running.ended;
      const counts = await countsInLog();
      // One more merchant: the one that owns the agent.
      const wanted = [ROUNDS + 1, ROUNDS, ROUNDS, ROUNDS + 1, 2 * ROUNDS];
      const surplus = Object.values(counts).map((count, index) => count - (wanted[index] ?? 0));
      figure({
        promise: 'finished after kill -9',
        tried: SPENDS.length * ROUNDS,
        lost: problems.length + surplus.filter((more) => more < 0).length,
        doubled: surplus.reduce((total, more) => total + Math.max(0, more), 0),
      });
      expect({ problems, surplus }).toEqual({ problems: [], surplus: [0, 0, 0, 0, 0] });
    },
    timeLimit(120_000),
  );
});
