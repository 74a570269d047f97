import { join } from 'node:path';
import { Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { CONFIG, type Config } from '../config';
import { MAILER, type Mailer } from './mailer.port';
import { OutboxMailer } from './outbox-mailer';

export async function openMailer({ mailUrl, dataDir, baseUrl }: Config): Promise<Mailer> {
  if (mailUrl === 'outbox:') return new OutboxMailer(join(dataDir, 'outbox.jsonl'));
  // Loaded only where SMTP is used.
  const { SmtpMailer } = await import('./smtp-mailer');
  return new SmtpMailer(mailUrl, baseUrl);
}

/** The only file that knows which mailers there are. */
@Module({ providers: [{ provide: MAILER, inject: [CONFIG], useFactory: openMailer }], exports: [MAILER] })
export class MailModule implements OnModuleDestroy {
  constructor(@Inject(MAILER) private readonly mailer: Mailer) {}

  onModuleDestroy(): void {
    this.mailer.close();
  }
}
