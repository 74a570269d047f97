import { startTcpProxy, type TcpProxy } from '../tcp-proxy';
import { type EngineKind } from './node-role';
import { startEventStoreDb } from './server';

export type Engine = Readonly<{
  /** Goes through the proxy. */
  url: string;
  /** Goes directly to the engine, bypassing the proxy. */
  directUrl: string;
  proxy: TcpProxy;
  /** How many slow consumers the engine has dropped; a real one does not report it. */
  droppedConsumers: (() => number) | undefined;
  stop(): Promise<void>;
}>;

/** The engines whose behaviour a suite covers: both that the test server imitates, or the given one. */
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
