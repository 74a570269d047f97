import { Module } from '@nestjs/common';
import { MailModule } from '../../platform/mail/mail.module';
import { DomainProofs } from './domain-proofs';
import { PayeeNoticesReactor } from './payee-notices.reactor';
import { PayeesController } from './payees.controller';
import { RecipientsController } from './recipients.controller';
import {
  ActivateRecipientVersionHandler,
  AddRecipientHandler,
  AddRecipientVersionHandler,
  RetireRecipientVersionHandler,
  VerifyRecipientVersionHandler,
} from './recipients.handlers';

@Module({
  imports: [MailModule],
  controllers: [RecipientsController, PayeesController],
  providers: [
    DomainProofs,
    PayeeNoticesReactor,
    AddRecipientHandler,
    AddRecipientVersionHandler,
    VerifyRecipientVersionHandler,
    ActivateRecipientVersionHandler,
    RetireRecipientVersionHandler,
  ],
})
export class RecipientsModule {}
