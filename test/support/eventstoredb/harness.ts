import { startTcpProxy, type TcpProxy } from '../tcp-proxy';
import { type EngineKind } from './node-role';
import { startEventStoreDb } from './server';

export type Engine = Readonly<{
  /** Leads through the proxy. */
  url: string;
  /** Leads to the engine itself, past whatever the proxy does. */
  directUrl: string;
  proxy: TcpProxy;
  /** How many slow consumers it has sent away; a real one does not tell. */
  droppedConsumers: (() => number) | undefined;
  stop(): Promise<void>;
}>;

/** The engines whose manners a suite is to meet: both of the test server's, or whichever is given. */
export const ENGINE_KINDS: readonly EngineKind[] = process.env['TEST_EVENTSTORE_URL']
  ? ['eventstoredb']
  : ['eventstoredb', 'kurrentdb'];

/** The engine that TEST_EVENTSTORE_URL names, or the test server, behind a connection that a test can break. */
export async function openBreakableEngine(kind?: EngineKind): Promise<Engine> {
  const given = process.env['TEST_EVENTSTORE_URL'];
  const server = given ? undefined : await startEventStoreDb(0, kind);
  const directUrl = given ?? server?.url ?? '';
  const [, host = '', port = '2113'] = /^esdb:\/\/(?:[^@]+@)?([^:/?]+)(?::(\d+))?/.exec(directUrl) ?? [];
  if (host === '') throw new Error('TEST_EVENTSTORE_URL must name one node, such as esdb://127.0.0.1:2113?tls=false');
  const proxy = await startTcpProxy(Number(port), host);
  return {
    url: directUrl.replace(
      /\/\/((?:[^@]+@)?)[^/?]+/,
      (_, credentials: string) => `//${credentials}127.0.0.1:${proxy.port}`,
    ),
    directUrl,
    proxy,
    droppedConsumers: server?.droppedConsumers,
    stop: async () => {
      await proxy.stop();
      await server?.stop();
    },
  };
}
