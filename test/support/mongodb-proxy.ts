import { MongoClient } from 'mongodb';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';

export type ProxiedMongo = Readonly<{ proxy: TcpProxy; url: string }>;

const FORM = /^(mongodb:\/\/(?:[^@/]*@)?)([^/?]+)(\/[^?]*)?(?:\?(.*))?$/;

/**
 * The server named by the URL, behind a connection that a test can break; for a replica set its primary, to which the
 * new URL connects directly, because the members do not know about the proxy. Credentials and other options stay.
 */
export async function startMongoProxy(mongoUrl: string): Promise<ProxiedMongo> {
  const [, start = '', hosts = '', path = '/', query = ''] = FORM.exec(mongoUrl) ?? [];
  if (start === '') throw new Error('TEST_MONGODB_URL must name its servers: mongodb://…');
  const options = query
    .split('&')
    .filter((option) => option !== '' && !/^(replicaSet|directConnection)=/i.test(option));
  const isReplicaSet = hosts.includes(',') || /(^|&)replicaSet=/i.test(query);
  const target = isReplicaSet ? await primaryOf(mongoUrl) : hosts;
  const [, host = '', port = '27017'] = /^(.+?)(?::(\d+))?$/.exec(target) ?? [];
  const proxy = await startTcpProxy(Number(port), host.replace(/^\[|\]$/g, ''));
  const direct = [...options, 'directConnection=true'].join('&');
  return { proxy, url: `${start}127.0.0.1:${proxy.port}${path}?${direct}` };
}

async function primaryOf(mongoUrl: string): Promise<string> {
  const client = await MongoClient.connect(mongoUrl);
  try {
    const { primary } = await client.db('admin').command({ hello: 1 });
    return String(primary);
  } finally {
    await client.close();
  }
}
