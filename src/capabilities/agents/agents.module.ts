import { Module } from '@nestjs/common';
import { AgentReader } from './agent-reader';
import { AgentsController } from './agents.controller';
import { ActivateCredentialHandler, ChangeAgentHandler } from './agents.handlers';
import { CredentialsController } from './credentials.controller';

@Module({
  controllers: [AgentsController, CredentialsController],
  providers: [AgentReader, ChangeAgentHandler, ActivateCredentialHandler],
})
export class AgentsModule {}
