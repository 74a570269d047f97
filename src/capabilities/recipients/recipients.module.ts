import { Module } from '@nestjs/common';
import { DomainProofs } from './domain-proofs';
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
  controllers: [RecipientsController, PayeesController],
  providers: [
    DomainProofs,
    AddRecipientHandler,
    AddRecipientVersionHandler,
    VerifyRecipientVersionHandler,
    ActivateRecipientVersionHandler,
    RetireRecipientVersionHandler,
  ],
})
export class RecipientsModule {}
