import { Account } from './account.ts';
import { type Command, type Terminal, textOf } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { type FeedEvent, readFeed, subjectOf } from './feed.ts';
import { forward, type Forwarded, isAccepted, receiverFrom, secretFrom } from './forwarding.ts';
import { wholeNumber } from './numbers.ts';
import { row } from './table.ts';

const WIDTHS = [8, 28, 30];

export const listen: Command = {
  name: 'listen',
  takes: '--forward-to <url> [--since <cursor>] [--types <a,b>] [--secret <whsec_…>] [--json]',
  summary: 'Follow the merchant’s feed and post each event, signed, to your receiver',
  about: [
    '--forward-to  where your receiver listens, such as http://localhost:3000/hooks',
    '--since       start after this cursor; by default, with events from now on',
    '--types       only these event types, separated by commas',
    '--secret      sign with this secret; by default a new one is generated and printed',
    '--json        one JSON object per line: first the secret, then each delivery',
    '',
    'The body is exactly the one that a webhook sends, with its cursor in the header webhook-cursor. A message that the',
    'receiver does not accept is reported on standard error and not sent again: use --since to go back to it.',
  ],
  options: {
    'forward-to': { type: 'string' },
    since: { type: 'string' },
    types: { type: 'string' },
    secret: { type: 'string' },
    json: { type: 'boolean' },
  },
  words: 0,
  async run({ values, terminal }) {
    const to = receiverFrom(textOf(values, 'forward-to'));
    const secret = secretFrom(textOf(values, 'secret'));
    const asJson = values['json'] === true;
    const { signal } = terminal;
    const reading = {
      since: wholeNumber(textOf(values, 'since'), 'since', Number.MAX_SAFE_INTEGER),
      types: textOf(values, 'types'),
      follow: true,
      signal,
      onInterruption: (error: unknown) => terminal.note(`still trying: ${String(error)}`),
    };
    const session = new Account(terminal).merchantSession();
    const from = reading.since ?? (await newest(session, signal));
    terminal.out(asJson ? JSON.stringify({ secret, since: from }) : `Signing with ${secret}`);
    if (!asJson) terminal.out(`Forwarding events after cursor ${from} to ${to.href}`);
    for await (const event of readFeed(session, { ...reading, since: from })) {
      const { cursor, ...body } = event;
      const eventId = event.data['event_id'];
      const message = {
        // The same every time this event is sent, like a webhook's on every retry.
        id: typeof eventId === 'string' ? eventId : `${to.host}-${cursor}`,
        body: JSON.stringify(body),
        headers: { 'webhook-cursor': String(cursor) },
      };
      printOutcome(terminal, asJson, event, await forward(to, secret, message, signal));
    }
    return EXIT.ok;
  },
};

const newest = async (session: Parameters<typeof readFeed>[0], signal: AbortSignal): Promise<number> =>
  (await session.get<{ newest_cursor: number }>('/v1/events', { since: 0, limit: 1 }, { signal })).newest_cursor;

function printOutcome(terminal: Terminal, asJson: boolean, event: FeedEvent, forwarded: Forwarded): void {
  const { cursor, type } = event;
  const outcome = 'status' in forwarded ? String(forwarded.status) : forwarded.error;
  if (asJson) terminal.out(JSON.stringify({ cursor, type, subject: subjectOf(event), ...forwarded }));
  else terminal.out(row([cursor, type, subjectOf(event), outcome], WIDTHS));
  if (!isAccepted(forwarded)) {
    terminal.note(`${type} was not accepted (${outcome}); to send it again: --since ${cursor - 1}`);
  }
}
