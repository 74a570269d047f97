import { appendFile, chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Mail, type Mailer } from './mailer.port';

/**
 * For development and tests: mails are lines of a file instead of letters. The links in it open accounts, so only the
 * owner may read it.
 */
export class OutboxMailer implements Mailer {
  constructor(private readonly file: string) {}

  async send({ to, subject, text, link }: Mail): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true });
    await appendFile(this.file, JSON.stringify({ to, subject, text, link }) + '\n', { mode: 0o600 });
    // The mode above counts only for a file that was not there before.
    await chmod(this.file, 0o600);
  }

  close(): void {}
}
