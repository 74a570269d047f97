import { Account } from './account.ts';
import { type Command, textOf } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { readFeed, subjectOf } from './feed.ts';
import { wholeNumber } from './numbers.ts';
import { row } from './table.ts';

const WIDTHS = [8, 24, 28, 30];

export const events: Command = {
  name: 'events',
  takes: '[--since <cursor>] [--types <a,b>] [--follow] [--json]',
  summary: 'Print the merchant’s feed: the events that webhooks deliver, in order',
  about: [
    '--since    start after this cursor; the default is 0, the beginning',
    '--types    only these event types, separated by commas; cursors stay the same',
    '--follow   keep printing new events until interrupted',
    '--json     one JSON object per line, as the service sends it',
  ],
  options: {
    since: { type: 'string' },
    types: { type: 'string' },
    follow: { type: 'boolean', short: 'f' },
    json: { type: 'boolean' },
  },
  words: 0,
  async run({ values, terminal }) {
    const since = wholeNumber(textOf(values, 'since'), 'since', Number.MAX_SAFE_INTEGER) ?? 0;
    const reading = {
      since,
      types: textOf(values, 'types'),
      follow: values['follow'] === true,
      signal: terminal.signal,
      onInterruption: (error: unknown) => terminal.note(`still trying: ${String(error)}`),
    };
    if (values['json'] !== true) terminal.out(row(['CURSOR', 'TIME', 'TYPE', 'SUBJECT', 'STATUS'], WIDTHS));
    for await (const event of readFeed(new Account(terminal).merchantSession(), reading)) {
      const { cursor, timestamp, type, data } = event;
      const cells = [cursor, timestamp, type, subjectOf(event), data['status']];
      terminal.out(values['json'] === true ? JSON.stringify(event) : row(cells, WIDTHS));
    }
    return EXIT.ok;
  },
};
