import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  type ConnectInvitationDocument,
  connectInvitations,
} from '../../../projections/connect-invitations.projection';
import { knownDocument } from '../../http/input/own-documents';
import { type InvitationId } from '../../kernel/aggregates';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { CommandRunner } from '../../platform/event-store/run-command';
import { Projector } from '../../platform/projecting/projector';
import { DueSweepers } from '../../platform/reacting/due-sweepers';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { connectInvitation } from './connect-invitation';

/** Records that keys and invitations have expired, even if nobody asks about them. */
@Injectable()
export class ExpireInvitations implements OnModuleInit {
  constructor(
    private readonly sweepers: DueSweepers,
    private readonly commands: CommandRunner,
    private readonly projector: Projector,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.sweepers.addExpiry('expire-connect-invitations', connectInvitations, (invitationId, at, context) =>
      this.commands.run(connectInvitation, invitationId, { kind: 'expire', invitationId, at }, context),
    );
  }

  /**
   * The invitation as of now. A read writes nothing: an expired invitation is shown as it will be once the sweep has
   * recorded its expiry.
   */
  async asOfNow(invitationId: InvitationId): Promise<ConnectInvitationDocument> {
    const { position } = await this.commands.fold(connectInvitation, invitationId);
    await this.projector.progress.passed(position);
    const document = await knownDocument(this.readModel, connectInvitations, invitationId);
    const hasRunOut = document.open !== null && timestamp(this.clock.now()) >= document.expires_at;
    if (!hasRunOut) return document;
    return { ...document, status: 'expired', updated_at: document.expires_at, version: document.version + 1 };
  }
}
