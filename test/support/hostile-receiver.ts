import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import fc from 'fast-check';
import { freePort } from './free-port';

type Message = Readonly<{ id: string; body: string; requestId: string; type: string }>;
type Mood = 'fine' | 'broken' | 'busy' | 'moved' | 'hangingUp' | 'halfAnswering' | 'asleep' | 'down' | 'gone';

const MOODS: readonly Readonly<{ weight: number; arbitrary: fc.Arbitrary<Mood> }>[] = (
  [
    [60, 'fine'],
    [8, 'broken'],
    [6, 'busy'],
    [6, 'moved'],
    [7, 'hangingUp'],
    [6, 'halfAnswering'],
    [4, 'asleep'],
    [1, 'down'],
    [2, 'gone'],
  ] as const
).map(([weight, mood]) => ({ weight, arbitrary: fc.constant<Mood>(mood) }));
/** No message may be refused ten times, or its retry schedule would end before it is accepted: 4 + 5 = 9. */
const MAX_REFUSALS = 4;
const MAX_OUTAGES = 5;
const DOWN_MS = 300;

/** The events of each payment request, in order. */
export const LIFECYCLE = ['created', 'signed', 'broadcasted', 'confirmed'].map((name) => `payment_request.${name}`);

/** A server with random behaviour that remembers every message. */
export class HostileReceiver {
  received = 0;
  /** Whether it may answer 410, which disables the endpoint: events that occur while it is disabled are not sent. */
  mayBeGone = false;
  onMessage: () => void = () => undefined;
  isDown = false;
  /** Violations: another body under the same id, another id for the same event, an event out of order. */
  readonly faults: string[] = [];
  readonly moods = new Map<Mood, number>();
  private readonly acknowledged = new Set<string>();
  private readonly bodies = new Map<string, string>();
  private readonly ids = new Map<string, string>();
  private readonly refusals = new Map<string, number>();
  private readonly planned: readonly Mood[];
  private readonly server = createServer((request, response) => void this.hear(request, response));
  private port = 0;
  private timesDown = 0;
  private nextDownAt = 0;

  constructor(
    seed: number,
    private readonly expected: number,
    private readonly patienceMs: number,
  ) {
    this.planned = fc.sample(fc.oneof(...MOODS), { seed, numRuns: 10_007 });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  async listen(): Promise<void> {
    // Not a port that the system hands out: while this is down, another listener would be given it.
    this.port ||= await freePort();
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** How many of the four events of these requests it has accepted. */
  acceptedOf(requestIds: readonly string[]): number {
    return requestIds.flatMap((id) => LIFECYCLE.filter((type) => this.acknowledged.has(`${id} ${type}`))).length;
  }

  private async hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The sender was killed mid-request.
      return;
    }
    const body = Buffer.concat(chunks).toString();
    const { type, data } = JSON.parse(body) as { type: string; data: Record<string, string> };
    if (type === 'webhook.verification') return void response.end(JSON.stringify({ challenge: data['challenge'] }));
    const message = { id: String(request.headers['webhook-id']), body, requestId: data['request_id'] ?? '', type };
    this.check(message);
    this.react(this.moodFor(message), message, request, response);
    this.received += 1;
    this.onMessage();
  }

  private check({ id, body, requestId, type }: Message): void {
    const event = `${requestId} ${type}`;
    if ((this.bodies.get(id) ?? body) !== body) this.faults.push(`${event}: another body`);
    if ((this.ids.get(event) ?? id) !== id) this.faults.push(`${event}: another id`);
    this.bodies.set(id, body);
    this.ids.set(event, id);
    const before = LIFECYCLE.slice(0, LIFECYCLE.indexOf(type)).find(
      (one) => !this.acknowledged.has(`${requestId} ${one}`),
    );
    if (before !== undefined) this.faults.push(`${event}: before ${before}`);
  }

  private moodFor({ id }: Message): Mood {
    const refused = this.refusals.get(id) ?? 0;
    const planned = this.planned[this.received % this.planned.length] ?? 'fine';
    const isTooMuch = (planned === 'gone' && !this.mayBeGone) || (planned === 'down' && !this.mayBeDown());
    const wished = isTooMuch ? 'broken' : planned;
    const mood = refused >= MAX_REFUSALS ? 'fine' : wished;
    if (mood !== 'fine') this.refusals.set(id, refused + 1);
    this.moods.set(mood, (this.moods.get(mood) ?? 0) + 1);
    return mood;
  }

  /** Spread over the whole run: each message sent while it is down is refused once more. */
  private mayBeDown(): boolean {
    return !this.isDown && this.timesDown < MAX_OUTAGES && this.received >= this.nextDownAt;
  }

  private goDown(): void {
    this.isDown = true;
    this.timesDown += 1;
    this.nextDownAt = this.received + this.expected / MAX_OUTAGES;
    this.close();
    setTimeout(() => void this.listen().then(() => (this.isDown = false)), DOWN_MS);
  }

  private react(mood: Mood, message: Message, request: IncomingMessage, response: ServerResponse): void {
    const accept = (): void => {
      // A sender that timed out has hung up and received nothing.
      if (response.destroyed) return;
      this.acknowledged.add(`${message.requestId} ${message.type}`);
      response.writeHead(204).end();
    };
    switch (mood) {
      case 'fine':
        return accept();
      case 'broken':
        return void response.writeHead(500).end();
      case 'busy':
        return void response.writeHead(429, { 'retry-after': '3600' }).end();
      case 'moved':
        return void response.writeHead(302, { location: '/stolen' }).end();
      case 'gone':
        return void response.writeHead(410).end();
      case 'hangingUp':
        return void request.socket.resetAndDestroy();
      case 'halfAnswering':
        response.writeHead(200, { 'content-length': '10' }).write('half');
        return void setTimeout(() => request.socket.destroy(), 5);
      case 'asleep':
        return void setTimeout(accept, this.patienceMs * 3);
      case 'down':
        return this.goDown();
    }
  }
}
