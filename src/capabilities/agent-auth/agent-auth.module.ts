import { Module } from '@nestjs/common';
import { AgentAuthController } from './agent-auth.controller';
import { ExchangeAssertionHandler } from './agent-auth.handlers';
import { Signers } from './signers';

@Module({ controllers: [AgentAuthController], providers: [ExchangeAssertionHandler, Signers] })
export class AgentAuthModule {}
