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
    'SVC_URL says where the service is. Credentials come from SVC_SESSION_TOKEN, SVC_CONNECTION_TOKEN and the like, or from',
    'the JSON file SVC_CREDENTIALS (svc/credentials.json in your configuration folder unless told), whose mode must be 0600.',
    '',
    'Exit codes: 0 yes or done; 1 no (forged, not confirmed, not accepted); 2 wrong call; 3 trouble; 4 not decided in time;',
    '130 interrupted.',
  ];
}
