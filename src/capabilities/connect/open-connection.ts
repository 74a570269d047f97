import { Injectable } from '@nestjs/common';
import { type Asking, OpenConnection } from '../approvals/open-connection';
import { type ConnectInvitationApproved, type ConnectInvitationClaimed } from '../../events/connect-invitation.events';
import { ignored, reactorTo } from '../../platform/reacting/reactor';

const asking: Asking<ConnectInvitationClaimed, ConnectInvitationApproved> = {
  category: 'connect_invitation',
  asked: 'ConnectInvitationClaimed',
  approved: 'ConnectInvitationApproved',
  reactor: (open) =>
    reactorTo<'connect_invitation'>('open-invited-connections', {
      ConnectKeyIssued: ignored,
      ConnectInvitationClaimed: ignored,
      ConnectInvitationApproved: ({ data }) => open(data.invitation_id),
      ConnectInvitationRejected: ignored,
      ConnectInvitationExpired: ignored,
      ConnectInvitationExchanged: ignored,
    }),
};

@Injectable()
export class OpenInvitedConnection extends OpenConnection<ConnectInvitationClaimed, ConnectInvitationApproved> {
  protected readonly asking = asking;
}
