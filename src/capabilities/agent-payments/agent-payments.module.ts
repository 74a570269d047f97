import { Module } from '@nestjs/common';
import { Duplicates } from '../payments/duplicates';
import { Reviews } from '../payments/reviews';
import { AgentPaymentsController } from './agent-payments.controller';
import { ReportAgentPaymentHandler } from './agent-payments.handlers';
import { CreateAgentPaymentHandler } from './create-agent-payment.handler';
import { EvaluateIntent } from './evaluate-intent';
import { EvaluateIntentController } from './evaluate-intent.controller';
import { ExpirePayments } from './expire-payments';
import { FinishReservations } from './finish-reservations.reactor';
import { ForgoAgentPaymentHandler } from './forgo-agent-payment.handler';
import { IntentDrafts } from './intent-drafts';
import { PaymentByKey } from './payment-by-key';
import { OnePaymentAtATime } from './one-payment-at-a-time';
import { PolicyChooser } from './policy-chooser';
import { Reservations } from './reservations';
import { RecordAgentPaymentSettlementHandler, RequestAgentPaymentCheckHandler } from './settlement.handlers';
import { SimulatePolicyHandler } from './simulate-policy.handler';
import { WithdrawWithPolicy } from './withdraw-with-policy.reactor';
import { WarmBudgets } from './warm-budgets';
import { WithdrawAgentPaymentHandler } from './withdraw-payment.handler';

@Module({
  controllers: [AgentPaymentsController, EvaluateIntentController],
  providers: [
    CreateAgentPaymentHandler,
    ReportAgentPaymentHandler,
    RecordAgentPaymentSettlementHandler,
    RequestAgentPaymentCheckHandler,
    ForgoAgentPaymentHandler,
    WithdrawAgentPaymentHandler,
    Duplicates,
    PaymentByKey,
    IntentDrafts,
    EvaluateIntent,
    SimulatePolicyHandler,
    OnePaymentAtATime,
    PolicyChooser,
    Reservations,
    FinishReservations,
    WithdrawWithPolicy,
    ExpirePayments,
    WarmBudgets,
    Reviews,
  ],
})
export class AgentPaymentsModule {}
