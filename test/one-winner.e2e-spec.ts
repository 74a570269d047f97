import { agent as agentDecider } from '../src/capabilities/agents/agent';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { CommandRunner } from '../src/platform/event-store/run-command';
import { systemClock } from '../src/kernel/clock';
import { Refusal } from '../src/kernel/errors';
import { createAgent } from './support/agents';
import { countFigure, progress, sizeFrom, timeLimit } from './support/figures';
import { call } from './support/http';
import { type SignedUpMerchant, signUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { type AgentId, type MerchantId } from '../src/kernel/aggregates';
import { useServiceWithDns } from './support/use-service';

/** 100 in a full-size run. */
const STREAMS = sizeFrom('CHAOS_STREAMS', 2);
const WRITERS = 50;
const context = { requestId: 'race', actor: { kind: 'test', id: 'racer' } };

describeOnEachPair('of fifty callers who change the same version', (start) => {
  let merchant: SignedUpMerchant;
  /** Each writer has its own queue and cache, like a separate process: only the append decides. */
  let runners: readonly CommandRunner[] = [];
  // Declared before the service is used, and so run before it stops: they follow its log until then.
  afterAll(() => {
    for (const runner of runners) runner.onModuleDestroy();
  });

  const { service, dns } = useServiceWithDns({ start, env: { LOG_LEVEL: 'silent' } });
  beforeAll(async () => {
    merchant = await signUpMerchant(service, { dns });
    const store = service.app.get<EventStore>(EVENT_STORE);
    runners = Array.from({ length: WRITERS }, () => new CommandRunner(store, systemClock, () => Promise.resolve()));
  });

  const changesIn = async (agentId: string): Promise<number> =>
    (await service.app.get<EventStore>(EVENT_STORE).readStream(`agent-${agentId}`)).length - 1;
  const overHttp = async (agentId: string, name: string): Promise<string> => {
    const { headers } = merchant;
    const url = `${service.url}/v1/agents/${agentId}`;
    const { status, body } = await call(url, { method: 'PATCH', headers, body: { version: 1, name } });
    return status === 200 ? 'changed' : `${status} ${body.error.code}`;
  };
  const alone = async (id: string, name: string, writer: number): Promise<string> => {
    const agentId = id as AgentId;
    const merchantId = merchant.merchantId as MerchantId;
    const command = { kind: 'change', agentId, merchantId, version: 1, name, at: new Date().toISOString() } as const;
    return runners[writer]!.run(agentDecider, agentId, command, context).then(
      () => 'changed',
      (error: unknown) => {
        if (error instanceof Refusal && error.code === 'version_conflict') return '409 version_conflict';
        throw error;
      },
    );
  };

  it.each([
    ['over HTTP', overHttp],
    ['each in a process of its own', alone],
  ])(
    `one wins, %s (${STREAMS} things)`,
    async (_, change) => {
      for (let stream = 0; stream < STREAMS; stream += 1) {
        const agentId = await createAgent(service, merchant);
        const results = await Promise.all(
          Array.from({ length: WRITERS }, (__, index) => change(agentId, `Agent ${index}`, index)),
        );
        const won = results.filter((result) => result === 'changed').length;
        const inLog = await changesIn(agentId);
        countFigure('one of fifty wins', WRITERS, 1, Math.max(won, inLog));
        progress(stream + 1, STREAMS);
        expect([won, inLog]).toEqual([1, 1]);
        expect(results.filter((result) => result !== 'changed')).toEqual(
          Array.from({ length: WRITERS - 1 }, () => '409 version_conflict'),
        );
      }
    },
    timeLimit(60_000),
  );
});
