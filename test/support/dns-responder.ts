import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type Answer, decode, encode, type Packet, RECURSION_AVAILABLE, streamDecode, streamEncode } from 'dns-packet';
import { TRUNCATED_RESPONSE } from 'dns-packet';

const RCODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
/** What fits in one datagram with the EDNS size that c-ares announces; more is truncated and fetched over TCP. */
const MAX_DATAGRAM = 1232;

/** What the responder answers for one name. A function is called for each query. */
export type DnsEntry = Readonly<{
  A?: readonly string[] | (() => readonly string[]);
  AAAA?: readonly string[];
  /** One element per record; a list is one record of several strings. */
  TXT?: readonly (string | readonly string[])[];
  CNAME?: string;
  /** Answer a query for an aliased name with only the alias, like a server that does not recurse. */
  aliasOnly?: boolean;
  rcode?: keyof typeof RCODES;
  /** Never answer. */
  silent?: boolean;
}>;

export type DnsResponder = Readonly<{
  /** `host:port`, as in a resolver's configuration. */
  server: string;
  set(name: string, entry: DnsEntry): void;
  /** `TYPE name` of each query, in order of arrival. */
  queries: readonly string[];
  overTcp(): number;
  close(): Promise<void>;
}>;

/** A DNS server on loopback with these entries; any other name does not exist. */
export async function startDnsResponder(
  entries: Readonly<Record<string, DnsEntry>> = {},
  wantedPort = 0,
): Promise<DnsResponder> {
  const zone = new Map(Object.entries(entries).map(([name, entry]) => [name.toLowerCase(), entry]));
  const queries: string[] = [];
  const connections = new Set<Socket>();
  let overTcp = 0;

  const answerTo = (query: Packet): Packet | undefined => {
    const question = query.questions?.[0];
    if (!question) return undefined;
    const name = question.name.toLowerCase();
    queries.push(`${question.type} ${name}`);
    const entry = zone.get(name);
    if (entry?.silent) return undefined;
    const rcode = RCODES[entry ? (entry.rcode ?? 'NXDOMAIN') : 'NXDOMAIN'];
    return {
      type: 'response',
      ...(query.id === undefined ? {} : { id: query.id }),
      flags: RECURSION_AVAILABLE | (entry && !entry.rcode ? 0 : rcode),
      questions: [question],
      answers: entry && !entry.rcode ? answersOf(zone, name, question.type) : [],
    };
  };

  const { udp, tcp, port } = await listen(wantedPort);
  udp.on('message', (message, peer) => {
    const answer = answerTo(decode(message));
    if (!answer) return;
    const whole = encode(answer);
    const flags = (answer.flags ?? 0) | TRUNCATED_RESPONSE;
    const datagram = whole.length <= MAX_DATAGRAM ? whole : encode({ ...answer, flags, answers: [] });
    udp.send(datagram, peer.port, peer.address);
  });
  tcp.on('connection', (socket) => {
    overTcp += 1;
    connections.add(socket);
    socket.on('error', () => undefined).on('close', () => connections.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const answer = answerTo(streamDecode(received));
      received = Buffer.alloc(0);
      if (answer) socket.write(streamEncode(answer));
    });
  });

  return {
    server: `127.0.0.1:${port}`,
    set: (name, entry) => void zone.set(name.toLowerCase(), entry),
    queries,
    overTcp: () => overTcp,
    async close() {
      for (const socket of connections) socket.destroy();
      await Promise.all([once(udp.close(), 'close'), once(tcp.close(), 'close')]);
    },
  };
}

function answersOf(zone: ReadonlyMap<string, DnsEntry>, asked: string, type: string): Answer[] {
  const answers: Answer[] = [];
  let name = asked;
  for (let hops = 0; hops < 16; hops += 1) {
    const entry = zone.get(name);
    if (entry?.CNAME === undefined) return [...answers, ...recordsOf(name, type, entry)];
    answers.push({ type: 'CNAME', name, ttl: 300, data: entry.CNAME });
    if (type === 'CNAME' || entry.aliasOnly) return answers;
    name = entry.CNAME.toLowerCase();
  }
  return answers;
}

function recordsOf(name: string, type: string, entry: DnsEntry = {}): Answer[] {
  const record = { name, ttl: 300 };
  if (type === 'A') {
    const addresses = typeof entry.A === 'function' ? entry.A() : (entry.A ?? []);
    return addresses.map((data) => ({ ...record, type, data }));
  }
  if (type === 'AAAA') return (entry.AAAA ?? []).map((data) => ({ ...record, type, data }));
  if (type === 'TXT') return (entry.TXT ?? []).map((data) => ({ ...record, type, data: [data].flat() }));
  return [];
}

/** Both transports must share a port number; one that is free for TCP may be taken for UDP. */
async function listen(wanted: number, attempts = 10): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  const tcp = createServer();
  await once(tcp.listen(wanted, '127.0.0.1'), 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  try {
    await once(udp.bind(port, '127.0.0.1'), 'listening');
    return { udp, tcp, port };
  } catch (error) {
    tcp.close();
    if (attempts === 1 || wanted !== 0) throw error;
    return listen(wanted, attempts - 1);
  }
}
