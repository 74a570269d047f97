import { Module } from '@nestjs/common';
import { PayeesController } from './payees.controller';
import { RecipientsController } from './recipients.controller';
import {
  ActivateRecipientVersionHandler,
  ChangeRecipientHandler,
  VerifyRecipientVersionHandler,
} from './recipients.handlers';

@Module({
  controllers: [RecipientsController, PayeesController],
  providers: [ChangeRecipientHandler, VerifyRecipientVersionHandler, ActivateRecipientVersionHandler],
})
export class RecipientsModule {}
