import { Module } from '@nestjs/common';
import { AgentReader } from './agent-reader';
import { AgentsController } from './agents.controller';
import { ActivateCredentialHandler, ChangeAgentHandler, EndCredentialHandler } from './agents.handlers';
import { CredentialsController } from './credentials.controller';
import { RegisterAgentCredentialHandler } from './register-credential.handler';

@Module({
  controllers: [AgentsController, CredentialsController],
  providers: [
    AgentReader,
    ChangeAgentHandler,
    ActivateCredentialHandler,
    EndCredentialHandler,
    RegisterAgentCredentialHandler,
  ],
})
export class AgentsModule {}
