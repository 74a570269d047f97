import { Module } from '@nestjs/common';
import { Reviews } from '../payments/reviews';
import { AgentPaymentsController } from './agent-payments.controller';
import { ReportAgentPaymentHandler } from './agent-payments.handlers';
import { CreateAgentPaymentHandler } from './create-agent-payment.handler';
import { ExpirePayments } from './expire-payments';
import { FinishReservations } from './finish-reservations.reactor';
import { PaymentsAlone } from './payments-alone';
import { PolicyChooser } from './policy-chooser';
import { Reservations } from './reservations';
import { WarmBudgets } from './warm-budgets';

@Module({
  controllers: [AgentPaymentsController],
  providers: [
    CreateAgentPaymentHandler,
    ReportAgentPaymentHandler,
    PaymentsAlone,
    PolicyChooser,
    Reservations,
    FinishReservations,
    ExpirePayments,
    WarmBudgets,
    Reviews,
  ],
})
export class AgentPaymentsModule {}
