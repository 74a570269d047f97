import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { pairingSessions } from '../../projections/pairing-sessions.projection';
import { DueSweepers } from '../event-store/due-sweepers';
import { CommandRunner } from '../event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../kernel/clock';
import { newId } from '../kernel/ids';
import { pairingSession } from './pairing-session';

/** Records that sessions ran out, also when nobody comes to find out. */
@Injectable()
export class ExpireSessions implements OnModuleInit {
  constructor(
    private readonly sweepers: DueSweepers,
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.sweepers.add({
      name: 'expire-pairing-sessions',
      collection: pairingSessions,
      index: 'due',
      equals: [true],
      dueAt: ({ expires_at }) => expires_at,
      run: ({ id }) => this.expire(id),
    });
  }

  private async expire(sessionId: string): Promise<void> {
    const command = { kind: 'expire', sessionId, at: timestamp(this.clock.now()) } as const;
    const context = { requestId: newId('req'), actor: { kind: 'service', id: 'expiry' } };
    await this.commands.run(pairingSession, sessionId, command, context);
  }
}
