import { projections } from '../../projections';
import {
  EVENT_STORE,
  type EventStore,
  LOG_START,
  type RecordedEvent,
} from '../../src/platform/event-store/event-store.port';
import { type Clock, systemClock } from '../../src/kernel/clock';
import { READ_MODEL_STORE, type ReadModelStore } from '../../src/platform/read-model/read-model.port';
import { type ActiveAgent, createActiveAgent, SCOPES } from './agents';
import { type DnsResponder, startDnsResponder } from './dns-responder';
import { eventually } from './eventually';
import { type SignedUpMerchant, signUpMerchant } from './merchant';
import { type Start } from './pairs';
import { startTestService, type TestService } from './service';

export type ConnectScene = Readonly<{
  service: TestService;
  dns: DnsResponder;
  merchant: SignedUpMerchant;
  merchantName: string;
  agent: ActiveAgent;
  agentName: string;
  /** Another agent of the same merchant, with the same name. */
  newAgent(scopes?: readonly string[]): Promise<ActiveAgent>;
  /** Waits until the stream has an event of this type, and returns all of that type. */
  eventsOf(stream: string, type: string): Promise<readonly RecordedEvent[]>;
  /** Every event and every document, as text. */
  everything(): Promise<readonly string[]>;
  stop(): Promise<void>;
}>;

/** A service with a merchant and an agent that is ready to be connected. */
export async function startConnectScene(
  start: Start = startTestService,
  { clock = systemClock, env = {} }: Readonly<{ clock?: Clock; env?: Readonly<Record<string, string>> }> = {},
): Promise<ConnectScene> {
  const dns = await startDnsResponder();
  const service = await start({ clock, env: { DNS_SERVERS: dns.server, ...env } });
  const [merchantName, agentName] = ['Example Shop', 'Checkout agent'];
  const merchant = await signUpMerchant(service, { dns, name: merchantName });
  const newAgent = (scopes: readonly string[] = SCOPES): Promise<ActiveAgent> =>
    createActiveAgent(service, merchant, { scopes, name: agentName, clock });
  const store = service.app.get<EventStore>(EVENT_STORE);

  return {
    service,
    dns,
    merchant,
    merchantName,
    agent: await newAgent(),
    agentName,
    newAgent,
    eventsOf: (stream, type) =>
      eventually(
        async () => (await store.readStream(stream)).filter((event) => event.type === type),
        (found) => found.length > 0,
        `${type} in ${stream}`,
      ),
    everything: async () => {
      const texts = (await store.readAll(LOG_START, 100_000)).map(({ data, metadata }) =>
        JSON.stringify([data, metadata]),
      );
      const readStore = service.app.get<ReadModelStore>(READ_MODEL_STORE);
      for (const collection of projections.flatMap(({ collections }) => collections)) {
        for await (const { document } of readStore.dump(collection)) texts.push(JSON.stringify(document));
      }
      return texts;
    },
    stop: async () => {
      await service.stopAndForget();
      await dns.close();
    },
  };
}
