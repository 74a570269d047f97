import { type Config } from '../platform/config';
import { type Setting } from './settings';

const WIDTH = 100;
const INDENT = ' '.repeat(6);

const plain = (text: string): string => text.replaceAll('`', '');

/** Fills each line up to WIDTH; a word is never split. */
function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1] ?? '';
    if (last !== '' && INDENT.length + last.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.map((line) => `${INDENT}${line}`).join('\n');
}

const entry = ({ names, fallback, meaning }: Setting): string =>
  `  ${names.join(', ')} (default: ${plain(fallback)})\n${wrapped(plain(meaning))}`;

/** What `--help` prints: what this is, how to configure it, and where to read on. */
export const helpText = (settings: readonly Setting[]): string =>
  `svc: the non-custodial payment request service.

An AI agent asks for a payment, a person approves and signs it in their own wallet, everyone reads what happened from
an event log. Test networks only; the service never holds a key.

Usage: node dist/src/main.js            start it; Ctrl-C or SIGTERM stops it gracefully
       node dist/src/main.js --help     this text

It takes no other arguments. All settings are environment variables; without any, it stores its data under ./data
and listens on http://127.0.0.1:8787.

${settings.map(entry).join('\n')}

Other commands: npm run reactions, npm run audit, npm run secret; -- --help explains each.
While it runs: /docs describes the API, /portal/ is for merchants, /wallet/ for people who pay.
Documentation: README.md first; docs/api-consumers.md for callers, docs/operators.md for operators, docs/auditors.md
for auditors.
`;

/** What a start prints once it listens. A worker answers operators only, so it offers nobody else anything. */
export function greeting(url: string, { role, eventStore, readStore }: Config): string {
  const lines = [`svc listens on ${url} (${eventStore.kind} event store, ${readStore.kind} read store)`];
  if (role !== 'worker')
    lines.push(
      `  API description: ${url}/docs`,
      `  try: curl -s ${url}/v1/wallet-devices -H 'content-type: application/json' -d '{"name":"My phone"}'`,
    );
  return `${lines.join('\n')}\n`;
}
