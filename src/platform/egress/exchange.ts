import { type Agent, type ClientRequest, type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { checkStillWanted, type DialPlan } from './dial';
import { EgressError, errorCode, StaleConnectionError } from './egress-error';
import { type PlannedRequest } from './guarded-agent';

export type Exchange = Readonly<{
  agent: Agent;
  plan: DialPlan;
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | undefined;
  maxResponseBytes: number;
}>;

export type Answer = Readonly<{ status: number; headers: IncomingHttpHeaders; body: Buffer; truncated: boolean }>;

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_INTERIM_ANSWERS = 8;
/** Headers that frame the message or name its target: a caller's value could contradict what is really sent. */
const RESERVED_HEADERS =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

/** Without a length, Node would announce a body in chunks. */
const CARRIES_A_BODY = /^(POST|PUT|PATCH)$/;

/** One request and its response over a connection that the agent opens or already holds. */
export async function exchange(what: Exchange): Promise<Answer> {
  const { cutoff } = what.plan;
  checkStillWanted(what.plan);
  // Over a kept connection nothing else looks for an end that came before this listens.
  cutoff.throwIfEnded();
  return new Promise((resolve, reject) => {
    const outgoing = begin(what);
    let status: number | undefined;

    const end = (): void => {
      cutoff.ignore(fail);
      // A response may arrive before the request is fully read; such a connection is of no further use.
      if (!outgoing.writableFinished) outgoing.destroy();
    };
    const fail = (error: unknown): void => {
      end();
      outgoing.destroy();
      reject(asEgressError(error, status, outgoing.reusedSocket));
    };
    cutoff.listen(fail);
    outgoing.on('error', fail);
    outgoing.on('upgrade', (_answer, socket) => {
      // From here on only we hold the connection: destroying the request does not end it in every Node version.
      socket.destroy();
      fail(new EgressError('protocol_error', 'the peer switched protocols'));
    });
    let interim = 0;
    outgoing.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM_ANSWERS) fail(new EgressError('protocol_error', 'too many interim answers'));
    });

    outgoing.on('response', (incoming) => {
      status = incoming.statusCode ?? 0;
      const answer = { status, headers: incoming.headers };
      const chunks: Buffer[] = [];
      let room = what.maxResponseBytes;
      incoming.on('error', fail);
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk.subarray(0, room));
        if (chunk.length > room) {
          end();
          resolve({ ...answer, body: Buffer.concat(chunks), truncated: true });
          outgoing.destroy();
        }
        room -= Math.min(room, chunk.length);
      });
      incoming.on('end', () => {
        end();
        resolve({ ...answer, body: Buffer.concat(chunks), truncated: false });
      });
    });
    outgoing.end(what.body);
  });
}

function begin({ agent, plan, url, method, headers, body }: Exchange): ClientRequest {
  // A list is written as it is; an object would be copied into a table of headers first, which costs a tenth more.
  const list = ['host', url.host];
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED_HEADERS.test(name))
      throw new EgressError('protocol_error', `the header ${name} is not the caller's to set`);
    list.push(name, value);
  }
  if (body !== undefined || CARRIES_A_BODY.test(method)) list.push('content-length', String(body?.length ?? 0));
  const options: PlannedRequest = {
    agent,
    plan,
    host: plan.host,
    port: plan.port,
    method,
    path: `${url.pathname}${url.search}`,
    headers: list,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  };
  return httpRequest(options);
}

function asEgressError(error: unknown, status: number | undefined, reusedSocket: boolean): EgressError {
  const code = errorCode(error);
  const parts = { cause: error, status };
  if (error instanceof EgressError) {
    return status === undefined ? error : new EgressError(error.kind, error.message, { cause: error.cause, status });
  }
  if (code === 'HPE_HEADER_OVERFLOW')
    return new EgressError('response_too_large', 'the header section is too large', parts);
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED' || code === 'ETIMEDOUT') {
    if (reusedSocket && status === undefined) return new StaleConnectionError(code, parts);
    return new EgressError('reset', code, parts);
  }
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return new EgressError('tls_failed', code, parts);
  return new EgressError('protocol_error', code || 'the answer is not valid HTTP', parts);
}
