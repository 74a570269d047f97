import { type Command } from './command.ts';

export function helpOf({ name, takes, summary, about }: Command): readonly string[] {
  return [`svc ${name} ${takes}`.trimEnd(), '', `${summary}.`, ...(about.length > 0 ? ['', ...about] : [])];
}

export function help(commands: readonly Command[]): readonly string[] {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'svc <command> [options]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    `  ${'help'.padEnd(width)}  Print this, or svc help <command> for its options`,
    '',
    'SVC_URL is the address of the service. Credentials come from SVC_SESSION_TOKEN, SVC_CONNECTION_TOKEN and the like, or from',
    'the JSON file SVC_CREDENTIALS (by default svc/credentials.json in your configuration folder), whose mode must be 0600.',
    '',
    'Exit codes: 0 yes or done; 1 no (forged, not confirmed, not accepted); 2 wrong usage; 3 unknown result; 4 not decided in time;',
    '130 interrupted.',
  ];
}
