import { Module } from '@nestjs/common';
import { AutomationPoliciesController } from './automation-policies.controller';
import { ChangePolicyHandler, CreatePolicyHandler, MovePolicyHandler } from './automation-policies.handlers';
import { OptInHandler } from './opt-in.handler';
import { FinishPolicySlots } from './finish-policy-slots.reactor';
import { PolicySlots } from './policy-slots';
import { PolicyPayees } from './policy-payees';
import { PolicySimulationController } from './policy-simulation.controller';

@Module({
  controllers: [AutomationPoliciesController, PolicySimulationController],
  providers: [
    PolicyPayees,
    PolicySlots,
    FinishPolicySlots,
    CreatePolicyHandler,
    ChangePolicyHandler,
    MovePolicyHandler,
    OptInHandler,
  ],
})
export class AutomationPoliciesModule {}
