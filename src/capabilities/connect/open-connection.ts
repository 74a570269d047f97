import { Inject, Injectable } from '@nestjs/common';
import { type Asking, OpenConnection } from '../approvals/open-connection';
import { EVENT_STORE, type EventStore } from '../../platform/event-store/event-store.port';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type ConnectInvitationApproved, type ConnectInvitationClaimed } from '../../events/connect-invitation.events';

const asking: Asking<ConnectInvitationClaimed, ConnectInvitationApproved> = {
  reactor: 'open-invited-connections',
  category: 'connect_invitation',
  asked: 'ConnectInvitationClaimed',
  approved: 'ConnectInvitationApproved',
  idIn: ({ invitation_id }) => invitation_id,
};

@Injectable()
export class OpenInvitedConnection extends OpenConnection<ConnectInvitationClaimed, ConnectInvitationApproved> {
  constructor(commands: CommandRunner, reactors: Reactors, @Inject(EVENT_STORE) store: EventStore) {
    super(asking, commands, reactors, store);
  }
}
