import { Module } from '@nestjs/common';
import { PayeesController } from './payees.controller';
import { RecipientsController } from './recipients.controller';
import {
  ActivateRecipientVersionHandler,
  AddRecipientHandler,
  AddRecipientVersionHandler,
  VerifyRecipientVersionHandler,
} from './recipients.handlers';

@Module({
  controllers: [RecipientsController, PayeesController],
  providers: [
    AddRecipientHandler,
    AddRecipientVersionHandler,
    VerifyRecipientVersionHandler,
    ActivateRecipientVersionHandler,
  ],
})
export class RecipientsModule {}
