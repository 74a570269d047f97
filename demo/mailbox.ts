import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const TIMEOUT_MS = 10_000;

/** The token of the newest link mailed to an address, from the outbox file. The mail is written after the response. */
export async function linkTokenFor(outbox: string, address: string): Promise<string> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const link = linksTo(outbox, address).at(-1);
    const token = link && new URL(link.replace('#/', '')).searchParams.get('token');
    if (token) return token;
    if (Date.now() > deadline) {
      throw new Error(
        `no mail for ${address} in ${outbox}: name the service's outbox with --outbox DATA_DIR/outbox.jsonl`,
      );
    }
    await pause(20);
  }
}

/** The newest link, once there is one; with `before`, once there is a newer one. */
export async function newestLinkFor(outbox: string, address: string, before?: string): Promise<string> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const link = linksTo(outbox, address).at(-1);
    if (link !== undefined && link !== before) return link;
    if (Date.now() > deadline) throw new Error(`no mail for ${address} in ${outbox}`);
    await pause(20);
  }
}

function linksTo(outbox: string, address: string): string[] {
  if (!existsSync(outbox)) return [];
  // A line that is still being written has no newline yet.
  const lines = readFileSync(outbox, 'utf8').split('\n').slice(0, -1);
  return (
    lines
      .map((line) => JSON.parse(line) as Readonly<{ to: string; link: string }>)
      // Notices of payees and domains come by mail, too.
      .filter(({ to, link }) => to === address && link.includes('#/verify'))
      .map(({ link }) => link)
  );
}
