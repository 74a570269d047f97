import { Inject, Injectable } from '@nestjs/common';
import { type PairingSessionDocument, pairingSessions } from '../../../projections/pairing-sessions.projection';
import { agentInUse, askerIsRevoked } from '../../access/agent-in-use';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { PairingCodes } from './pairing-code';
import { pairingSession } from './pairing-session';

/**
 * Finds the session whose code someone typed. A wrong code belongs to no session, so no session can count it: a
 * separate rate limit counts the caller's attempts instead.
 */
@Injectable()
export class TypedCodes {
  constructor(
    private readonly codes: PairingCodes,
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async find(code: string): Promise<PairingSessionDocument> {
    const { documents } = await this.readModel.find(pairingSessions, 'by_code', [this.codes.lookUp(code)], {
      limit: 2,
    });
    const [found, another] = documents;
    // If two sessions share a code, nobody can tell which is meant, and neither must be approved for the other.
    if (found === undefined || another !== undefined) throw refuse('resource_not_found');
    const { state } = await this.commands.fold(pairingSession, found.id);
    const now = timestamp(this.clock.now());
    const waits = state.status === 'pending' && now < state.expiresAt;
    if (!waits || !this.codes.matches(found.id, code, state.codeHash)) throw refuse('resource_not_found');
    // A session ends when the credential that started it does.
    const { agentId, credentialId, startedAt: askedAt } = state;
    const { state: agent } = await this.commands.fold(agentInUse, agentId);
    if (askerIsRevoked(agent, { credentialId, askedAt })) throw refuse('resource_not_found');
    return found;
  }
}
