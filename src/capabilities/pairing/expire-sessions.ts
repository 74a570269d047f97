import { Injectable, type OnModuleInit } from '@nestjs/common';
import { pairingSessions } from '../../../projections/pairing-sessions.projection';
import { DueSweepers } from '../../platform/reacting/due-sweepers';
import { CommandRunner } from '../../platform/event-store/run-command';
import { pairingSession } from './pairing-session';

/** Records that sessions have expired, even if nobody asks about them. */
@Injectable()
export class ExpireSessions implements OnModuleInit {
  constructor(
    private readonly sweepers: DueSweepers,
    private readonly commands: CommandRunner,
  ) {}

  onModuleInit(): void {
    this.sweepers.addExpiry('expire-pairing-sessions', pairingSessions, (sessionId, at, context) =>
      this.commands.run(pairingSession, sessionId, { kind: 'expire', sessionId, at }, context),
    );
  }
}
