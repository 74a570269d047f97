import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { connectInvitations } from '../../../projections/connect-invitations.projection';
import { DueSweepers } from '../../platform/reacting/due-sweepers';
import { CommandRunner } from '../../platform/event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { connectInvitation } from './connect-invitation';
import { type InvitationId } from '../../kernel/aggregates';

/** Records that keys and invitations ran out, also when nobody comes to find out. */
@Injectable()
export class ExpireInvitations implements OnModuleInit {
  constructor(
    private readonly sweepers: DueSweepers,
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.sweepers.addExpiry('expire-connect-invitations', connectInvitations, (id) => this.ifDue(id));
  }

  /** Refuses what does not exist; otherwise the invitation is afterwards as it is at this moment. */
  async ifDue(invitationId: InvitationId): Promise<void> {
    const command = { kind: 'expire', invitationId, at: timestamp(this.clock.now()) } as const;
    const context = { requestId: newId('req'), actor: { kind: 'service', id: 'expiry' } };
    await this.commands.run(connectInvitation, invitationId, command, context);
  }
}
