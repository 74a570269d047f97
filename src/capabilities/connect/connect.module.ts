import { Module } from '@nestjs/common';
import { ConnectInvitationsController } from './connect-invitations.controller';
import { DecideOnInvitationHandler, ExchangeInvitationHandler } from './connect-invitations.handlers';
import { ConnectKeysController } from './connect-keys.controller';
import { ClaimConnectKeyHandler, IssueConnectKeyHandler } from './connect-keys.handlers';
import { ExpireInvitations } from './expire-invitations';
import { OpenInvitedConnection } from './open-connection';

@Module({
  controllers: [ConnectKeysController, ConnectInvitationsController],
  providers: [
    IssueConnectKeyHandler,
    ClaimConnectKeyHandler,
    DecideOnInvitationHandler,
    ExchangeInvitationHandler,
    OpenInvitedConnection,
    ExpireInvitations,
  ],
})
export class ConnectModule {}
