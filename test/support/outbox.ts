import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../../src/kernel/pause';

export type SentMail = Readonly<{ to: string; subject: string; text: string; link: string }>;

type HasDataDir = Readonly<{ dataDir: string }>;

/** Every mail in the service's outbox, oldest first. */
export function outboxOf({ dataDir }: HasDataDir): readonly SentMail[] {
  const file = join(dataDir, 'outbox.jsonl');
  if (!existsSync(file)) return [];
  // A line that is still being written has no newline yet.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as SentMail);
}

export const mailsTo = (service: HasDataDir, address: string): readonly SentMail[] =>
  outboxOf(service).filter(({ to }) => to === address);

/** Mails with a link to sign in, and no notices. */
export const linksTo = (service: HasDataDir, address: string): readonly SentMail[] =>
  mailsTo(service, address).filter(({ link }) => link.includes('#/verify'));

/** Waits until this address has received `count` links, and returns the last one. Mail follows the response. */
export async function mailNumber(service: HasDataDir, address: string, count: number): Promise<SentMail> {
  for (;;) {
    const mail = linksTo(service, address)[count - 1];
    if (mail !== undefined) return mail;
    await pause(5);
  }
}

export const tokenIn = ({ link }: SentMail): string => new URL(link.replace('#/', '')).searchParams.get('token') ?? '';
