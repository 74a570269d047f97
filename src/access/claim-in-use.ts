import { type ConnectInvitationClaimed, type ConnectInvitationEvent } from '../events/connect-invitation.events';
import { type Fold } from '../kernel/decider';

/** Who claimed a Connect Key, whatever the invitation's current status. */
export const claimInUse: Fold<ConnectInvitationClaimed['data'] | undefined, ConnectInvitationEvent> = {
  category: 'connect_invitation',
  initial: undefined,
  evolve: (claim, event) => (event.type === 'ConnectInvitationClaimed' ? event.data : claim),
};
