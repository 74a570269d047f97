import { Module } from '@nestjs/common';
import { RecipientsController } from './recipients.controller';
import {
  ActivateRecipientVersionHandler,
  ChangeRecipientHandler,
  VerifyRecipientVersionHandler,
} from './recipients.handlers';

@Module({
  controllers: [RecipientsController],
  providers: [ChangeRecipientHandler, VerifyRecipientVersionHandler, ActivateRecipientVersionHandler],
})
export class RecipientsModule {}
