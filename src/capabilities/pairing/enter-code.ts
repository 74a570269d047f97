import { Inject, Injectable } from '@nestjs/common';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner, type Outcome } from '../../platform/event-store/run-command';
import { agentInUse, askerIsRevoked } from '../../access/agent-in-use';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { PairingCodes } from './pairing-code';
import { type KnownSession, pairingSession, type PairingSessionCommand } from './pairing-session';
import { type PairingSessionEvent } from '../../events/pairing-session.events';
import { type PairingSessionId } from '../../kernel/aggregates';

type WithCode = Extract<PairingSessionCommand, { rightCode: boolean }>;
/** What is done with the code; the rest is filled in here. Distributive, so that each kind keeps its own fields. */
type Intent<Command = WithCode> = Command extends WithCode ? Omit<Command, 'sessionId' | 'rightCode' | 'at'> : never;

export type Entry = Readonly<{ sessionId: PairingSessionId; code: string; context: CommandContext }>;

/** The only way to a session: by its code. A wrong code and an unknown session get the same response. */
@Injectable()
export class EnterCode {
  constructor(
    private readonly commands: CommandRunner,
    private readonly codes: PairingCodes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async andThen(
    intent: Intent,
    { sessionId, code, context }: Entry,
    mayTry: (session: KnownSession) => boolean = () => true,
  ): Promise<Readonly<{ session: KnownSession; events: Outcome<unknown, PairingSessionEvent>['events'] }>> {
    const { state: before } = await this.commands.fold(pairingSession, sessionId);
    if (before.status === 'unknown' || !mayTry(before)) throw refuse('resource_not_found');
    const rightCode = this.codes.matches(sessionId, code, before.codeHash);
    // Revealed only to a caller that knows the code, like everything about a session.
    if (rightCode && intent.kind !== 'reject') await this.assertAskerStands(before);
    const at = timestamp(this.clock.now());
    // A wrong code takes the same path: it has to be counted.
    const command: PairingSessionCommand = { ...intent, sessionId, rightCode, at };
    const { state, events } = await this.commands.run(pairingSession, sessionId, command, context);
    if (!rightCode || state.status === 'unknown') throw refuse('resource_not_found');
    if (state.status === 'expired') throw refuse('invitation_expired');
    return { session: state, events };
  }

  /** A session ends with its credential until its token is collected; from then on the connection's rules apply. */
  private async assertAskerStands({
    status,
    agentId,
    credentialId,
    startedAt,
    collected,
  }: KnownSession): Promise<void> {
    if (status === 'rejected' || status === 'expired' || collected) return;
    const { state: agent } = await this.commands.fold(agentInUse, agentId);
    if (askerIsRevoked(agent, { credentialId, askedAt: startedAt })) throw refuse('credential_revoked');
  }
}
