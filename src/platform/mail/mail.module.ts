import { join } from 'node:path';
import { Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { CONFIG, type Config } from '../config';
import { MAILER, type Mailer } from './mailer.port';
import { OutboxMailer } from './outbox-mailer';
import { SmtpMailer } from './smtp-mailer';

export const openMailer = ({ mailUrl, dataDir, baseUrl }: Config): Mailer =>
  mailUrl === 'outbox:' ? new OutboxMailer(join(dataDir, 'outbox.jsonl')) : new SmtpMailer(mailUrl, baseUrl);

/** The only file that knows by which ways mail leaves. */
@Module({ providers: [{ provide: MAILER, inject: [CONFIG], useFactory: openMailer }], exports: [MAILER] })
export class MailModule implements OnModuleDestroy {
  constructor(@Inject(MAILER) private readonly mailer: Mailer) {}

  onModuleDestroy(): void {
    this.mailer.close();
  }
}
