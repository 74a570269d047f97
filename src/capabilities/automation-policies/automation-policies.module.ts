import { Module } from '@nestjs/common';
import { AutomationPoliciesController } from './automation-policies.controller';
import { ChangePolicyHandler, CreatePolicyHandler, MovePolicyHandler } from './automation-policies.handlers';
import { OptInHandler } from './opt-in.handler';
import { PolicyPayees } from './policy-payees';
import { PolicySimulationController } from './policy-simulation.controller';

@Module({
  controllers: [AutomationPoliciesController, PolicySimulationController],
  providers: [PolicyPayees, CreatePolicyHandler, ChangePolicyHandler, MovePolicyHandler, OptInHandler],
})
export class AutomationPoliciesModule {}
