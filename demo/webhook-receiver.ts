import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type VerifiedWebhook, verifyWebhook } from '../sdk/src/index.ts';

export type VerifyingReceiver = Readonly<{
  url: string;
  received: readonly VerifiedWebhook[];
  /** The errors of the messages that were refused. */
  refused: readonly unknown[];
  /** The secret is known only after the endpoint is created, which needs the URL first. */
  useSecret(secret: string): void;
  /** Resolves when the condition holds; checked after each message. */
  until(condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}>;

/** A webhook receiver as a merchant would write it: verifies the raw body, echoes challenges, keeps the rest. */
export async function startVerifyingReceiver(): Promise<VerifyingReceiver> {
  const received: VerifiedWebhook[] = [];
  const refused: unknown[] = [];
  const waiting = new Set<() => void>();
  let secret = '';

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await rawBody(request);
    try {
      const verified = await verifyWebhook({ body, headers: request.headers, secret });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answerTo(verified)));
      if (verified.message.type !== 'webhook.verification') received.push(verified);
    } catch (error) {
      refused.push(error);
      response.writeHead(400).end();
    }
    waiting.forEach((check) => check());
  };

  const server = createServer((request, response) => void take(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    refused,
    useSecret: (known) => (secret = known),
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
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

const answerTo = ({ message }: VerifiedWebhook): object =>
  message.type === 'webhook.verification' ? { challenge: message.data.challenge } : {};

/** The raw bytes: the signature covers them, not their parsed form. */
async function rawBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
