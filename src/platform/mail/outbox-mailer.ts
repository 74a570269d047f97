import { appendFile, chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Mail, type Mailer } from './mailer.port';

/**
 * For development and tests: appends mails to a file instead of sending them. Their links open accounts, so only the
 * owner may read it.
 */
export class OutboxMailer implements Mailer {
  constructor(private readonly file: string) {}

  async send({ to, subject, text, link }: Mail): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true });
    await appendFile(this.file, JSON.stringify({ to, subject, text, link }) + '\n', { mode: 0o600 });
    // `mode` above applies only when the file is created.
    await chmod(this.file, 0o600);
  }

  close(): void {}
}
