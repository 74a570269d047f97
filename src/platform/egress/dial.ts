import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { type Cutoff } from './cutoff';
import { EgressError, errorCode } from './egress-error';

/** Everything decided before the first packet: where to connect, and which peer to expect there. */
export type DialPlan = Readonly<{
  /** The name (or address) the certificate must be for. */
  host: string;
  port: number;
  secure: boolean;
  /** Checked addresses, in the order in which they are tried. */
  addresses: readonly string[];
  permits: (address: string) => boolean;
  /** Milliseconds left for the whole exchange. */
  remainingMs: () => number;
  cutoff: Cutoff;
  /** Trusted in addition to the usual authorities. */
  ca?: string | Buffer;
  stillWanted?: () => boolean;
}>;

const MAX_ADDRESSES_TRIED = 4;

/** A connected socket, with TLS if planned. Nothing is ever sent to an address that is not permitted. */
export async function dial(plan: DialPlan): Promise<Socket> {
  const connected = await connectToFirst(plan);
  const socket = plan.secure ? await startTls(connected, plan) : connected;
  try {
    checkStillWanted(plan);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

export function checkStillWanted({ stillWanted }: DialPlan): void {
  if (stillWanted?.() === false) throw new EgressError('cancelled', 'nobody wants it sent any more');
}

async function connectToFirst(plan: DialPlan): Promise<Socket> {
  const candidates = plan.addresses.slice(0, MAX_ADDRESSES_TRIED);
  let failure = new EgressError('connect_failed', 'there is no address to connect to');
  for (const [index, address] of candidates.entries()) {
    // A silent address gets only its share of the time, so that the next one is still tried; the last one gets all of it.
    const isLast = index === candidates.length - 1;
    const patienceMs = isLast ? undefined : plan.remainingMs() / (candidates.length - index);
    try {
      return await connectTo(address, patienceMs, plan);
    } catch (error) {
      if (!(error instanceof EgressError) || error.kind !== 'connect_failed') throw error;
      failure = error;
    }
  }
  throw failure;
}

function connectTo(address: string, patienceMs: number | undefined, plan: DialPlan): Promise<Socket> {
  const socket = connectTcp({ host: address, port: plan.port, noDelay: true });
  return settle(socket, plan.cutoff, (resolve, reject) => {
    const giveUp = (): void => reject(new EgressError('connect_failed', 'no answer from the address'));
    const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
    socket.once('close', () => clearTimeout(timer));
    socket.once('error', (error) => reject(new EgressError('connect_failed', reasonOf(error), { cause: error })));
    socket.once('connect', () => {
      clearTimeout(timer);
      const peer = socket.remoteAddress;
      if (peer !== undefined && plan.permits(peer)) resolve(socket);
      else reject(new EgressError('destination_not_allowed', 'the connected peer is not permitted'));
    });
  });
}

function startTls(socket: Socket, plan: DialPlan): Promise<Socket> {
  const secured = connectTls({
    socket,
    host: plan.host,
    servername: isIP(plan.host) === 0 ? plan.host : '',
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Explicit, because an environment variable can otherwise turn verification off.
    rejectUnauthorized: true,
    ...(plan.ca === undefined ? {} : { secureContext: contextTrusting(plan.ca) }),
  });
  return settle(secured, plan.cutoff, (resolve, reject) => {
    const broken = (error?: Error): void => {
      const kind = error === undefined || errorCode(error) === 'ECONNRESET' ? 'reset' : 'tls_failed';
      reject(new EgressError(kind, reasonOf(error), { cause: error }));
    };
    secured.once('error', broken);
    secured.once('close', () => broken());
    secured.once('secureConnect', () => resolve(secured));
  });
}

/** Waits for a socket's first phase; a socket that fails it or runs out of time is destroyed. */
function settle<S extends Socket>(
  socket: S,
  cutoff: Cutoff,
  begin: (resolve: (socket: S) => void, reject: (error: Error) => void) => void,
): Promise<S> {
  // A socket may fail at any time, even before its user listens for errors.
  socket.on('error', () => undefined);
  return new Promise<S>((resolve, reject) => {
    const fail = (error: Error): void => {
      cutoff.ignore(fail);
      socket.destroy();
      reject(error);
    };
    cutoff.listen(fail);
    begin((ready) => {
      cutoff.ignore(fail);
      resolve(ready);
    }, fail);
    if (cutoff.reason !== undefined) fail(cutoff.reason);
  });
}

const reasonOf = (error?: Error): string => errorCode(error) || 'the connection was closed';

let lastContext: Readonly<{ ca: string | Buffer; context: SecureContext }> | undefined;

/** Loading all the usual authorities takes a while; the extra one rarely changes. */
function contextTrusting(ca: string | Buffer): SecureContext {
  if (lastContext?.ca !== ca) {
    lastContext = { ca, context: createSecureContext({ ca: [...rootCertificates, ca], minVersion: 'TLSv1.2' }) };
  }
  return lastContext.context;
}
