import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Answer, call } from './http';
import { startHttpPeer } from './loopback-peers';
import { type Operator } from './merchant';
import { type TestService } from './service';

export type Received = Readonly<{
  path: string;
  headers: Readonly<Record<string, string>>;
  id: string;
  body: string;
  type: string;
  data: Record<string, any>;
}>;

export type Behaviour = (message: Received, request: IncomingMessage, response: ServerResponse) => void;

export type WebhookReceiver = Readonly<{
  url: string;
  /** Everything except verification messages, as received. */
  received: readonly Received[];
  verifications: readonly Received[];
  /** How it handles messages from now on; verifications are always answered. */
  behave(behaviour: Behaviour): void;
  /** Resolves when the condition holds; checked after each message. */
  until(condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}>;

export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (_message, _request, response) =>
    void response.writeHead(status, headers).end();

/** A merchant's server: keeps what it receives, echoes challenges, and otherwise behaves as set. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const verifications: Received[] = [];
  const waiting = new Set<() => void>();
  let behaviour = answering(204);

  const peer = await startHttpPeer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const headers = request.headers as Record<string, string>;
      const { type, data } = JSON.parse(body) as Pick<Received, 'type' | 'data'>;
      const message = { path: request.url ?? '', headers, id: headers['webhook-id'] ?? '', body, type, data };
      if (type === 'webhook.verification') {
        verifications.push(message);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ challenge: data['challenge'] as string }));
        return;
      }
      received.push(message);
      behaviour(message, request, response);
      waiting.forEach((check) => check());
    });
  });

  return {
    url: `http://127.0.0.1:${peer.port}/hook`,
    received,
    verifications,
    behave: (next) => (behaviour = next),
    until: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () => peer.close(),
  };
}

export type ActiveEndpoint = Readonly<{ endpointId: string; secret: string; version: number }>;

export const createEndpoint = (
  { url }: Pick<TestService, 'url'>,
  { headers }: Pick<Operator, 'headers'>,
  body: object,
): Promise<Answer> => call(`${url}/v1/webhook-endpoints`, { headers, body });

/** An endpoint that is created and verified, so that events are sent there from now on. */
export async function activeEndpoint(
  service: Pick<TestService, 'url'>,
  { headers }: Pick<Operator, 'headers'>,
  url: string,
  changes: object = {},
): Promise<ActiveEndpoint> {
  const created = await createEndpoint(service, { headers }, { url, ...changes });
  if (created.status !== 201) throw new Error(`expected 201, got ${created.status}: ${created.text}`);
  const endpointId = created.body.webhook_endpoint.webhook_endpoint_id as string;
  const verified = await call(`${service.url}/v1/webhook-endpoints/${endpointId}/verify`, { headers, body: {} });
  if (verified.status !== 200) throw new Error(`expected 200, got ${verified.status}: ${verified.text}`);
  return {
    endpointId,
    secret: created.body.secret as string,
    version: verified.body.webhook_endpoint.version as number,
  };
}

type Deliveries = readonly Record<string, any>[];

export async function deliveriesOf(
  { url }: Pick<TestService, 'url'>,
  { headers }: Pick<Operator, 'headers'>,
  query = '',
): Promise<Deliveries> {
  const { body } = await call(`${url}/v1/webhook-deliveries?limit=200&${query}`, { headers });
  return body.webhook_deliveries as Deliveries;
}
