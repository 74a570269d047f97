import { Module } from '@nestjs/common';
import { AutomationPoliciesController } from './automation-policies.controller';
import { ChangePolicyHandler, CreatePolicyHandler, MovePolicyHandler } from './automation-policies.handlers';

@Module({
  controllers: [AutomationPoliciesController],
  providers: [CreatePolicyHandler, ChangePolicyHandler, MovePolicyHandler],
})
export class AutomationPoliciesModule {}
