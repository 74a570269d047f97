import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CONFIG, type Config } from '../../platform/config';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { complete, type Draft } from '../../http/input/draft';
import { scopesBeyond, withoutRepeats } from '../../http/input/scope-list';
import { type AgentCaller } from '../../http/server/callers';
import { ConnectionTokens } from '../../access/connection-tokens';
import { merchantProfile } from '../../access/merchant-profile';
import { addSeconds, CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { tokenHolders } from '../approvals/token-holders';
import { newId } from '../../kernel/ids';
import { EnterCode, type Entry } from './enter-code';
import { OpenPairedConnection } from './open-connection';
import { PairingCodes, pairingUri } from './pairing-code';
import { type StartPairingInput } from './pairing.dto';
import { pairingSession } from './pairing-session';
import { type ConnectionId, idFor, type PairingSessionId, type WalletDeviceId } from '../../kernel/aggregates';

const SESSION_SECONDS = 10 * 60;

export type StartedPairing = Readonly<{ sessionId: PairingSessionId; code: string; uri: string }>;

/** An agent requests a connection and gets a code to show. */
export class StartPairing extends Command<StartedPairing> {
  constructor(
    readonly agent: AgentCaller,
    readonly draft: Draft<StartPairingInput>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(StartPairing)
export class StartPairingHandler implements ICommandHandler<StartPairing> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly codes: PairingCodes,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ agent, draft, context }: StartPairing): Promise<StartedPairing> {
    const issues = scopesBeyond(draft.entriesOf('requested_scopes'), agent.allowedScopes);
    const scopes = withoutRepeats(complete(draft, draft.issues.length > 0 ? issues : []).requested_scopes);
    const beyond = scopes.filter((scope) => !agent.allowedScopes.includes(scope));
    if (beyond.length > 0) throw refuse('scope_not_allowed', { details: { scopes: beyond }, issues });
    const { agentId, agentName, credentialId, merchantId } = agent;
    const { state: merchant } = await this.commands.fold(merchantProfile, merchantId);
    const { name: merchantName, domain: merchantDomain } = merchant;
    const asker = { agentId, agentName, credentialId, merchantId, merchantName, merchantDomain };
    const now = this.clock.now();
    const sessionId = newId('prs');
    const code = this.codes.newCode();
    const hashes = { codeHash: this.codes.hash(sessionId, code), codeLookUp: this.codes.lookUp(code) };
    const times = { at: timestamp(now), expiresAt: timestamp(addSeconds(now, SESSION_SECONDS)) };
    const command = { kind: 'start', sessionId, asker, scopes, ...hashes, ...times } as const;
    await this.commands.run(pairingSession, sessionId, command, context);
    return { sessionId, code, uri: pairingUri(this.config.baseUrl, sessionId, code) };
  }
}

export type PairedConnection = Readonly<{ connectionId: ConnectionId; connectionToken: string }>;

/** The person approves. Of all who try with the right code, one succeeds; repeating it returns no second token. */
export class ApprovePairing extends Command<PairedConnection> {
  constructor(
    readonly entry: Entry,
    readonly deviceId: WalletDeviceId,
    readonly scopes: readonly string[] | null,
  ) {
    super();
  }
}

@CommandHandler(ApprovePairing)
export class ApprovePairingHandler implements ICommandHandler<ApprovePairing> {
  constructor(
    private readonly enterCode: EnterCode,
    private readonly opening: OpenPairedConnection,
    private readonly tokens: ConnectionTokens,
  ) {}

  async execute({ entry, deviceId, scopes }: ApprovePairing): Promise<PairedConnection> {
    const connectionId = idFor.connectionFrom(entry.sessionId);
    const { session, events } = await this.enterCode.andThen(
      { kind: 'approve', deviceId, connectionId, scopes },
      entry,
    );
    if (events.length === 0) {
      throw refuse('invalid_status_transition', { details: { current_status: session.status } });
    }
    await this.opening.of(entry.sessionId);
    return { connectionId, connectionToken: await this.tokens.current(connectionId) };
  }
}

export class RejectPairing extends Command<void> {
  constructor(
    readonly entry: Entry,
    readonly deviceId: WalletDeviceId,
  ) {
    super();
  }
}

@CommandHandler(RejectPairing)
export class RejectPairingHandler implements ICommandHandler<RejectPairing> {
  constructor(private readonly enterCode: EnterCode) {}

  async execute({ entry, deviceId }: RejectPairing): Promise<void> {
    await this.enterCode.andThen({ kind: 'reject', deviceId }, entry);
  }
}

export type Seen = Readonly<{ connectionId: ConnectionId | null; connectionToken: string | null }>;

/**
 * Reads a session. The agent that started it sees the connection once there is one, and gets the token with the first
 * read after the approval. A wallet sees who asks; another agent sees nothing and cannot use up the attempts.
 */
export class ReadPairingSession extends Command<Seen> {
  constructor(
    readonly entry: Entry,
    /** Null for a wallet. */
    readonly agent: Pick<AgentCaller, 'agentId' | 'credentialId'> | null,
    /** False if the caller will not see the response body (HEAD). */
    readonly collect: boolean,
  ) {
    super();
  }
}

@CommandHandler(ReadPairingSession)
export class ReadPairingSessionHandler implements ICommandHandler<ReadPairingSession> {
  constructor(
    private readonly enterCode: EnterCode,
    private readonly opening: OpenPairedConnection,
    private readonly commands: CommandRunner,
    private readonly tokens: ConnectionTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ entry, agent, collect }: ReadPairingSession): Promise<Seen> {
    const { session } = await this.enterCode.andThen(
      { kind: 'look' },
      entry,
      (known) => agent === null || known.agentId === agent.agentId,
    );
    if (agent === null || session.approval === null) return { connectionId: null, connectionToken: null };
    const { connection_id: connectionId, device_id: deviceId } = session.approval;
    // The process that approved may have died before creating the connection; create it before handing out the token.
    await this.opening.of(entry.sessionId);
    if (!collect || session.collected) return { connectionId, connectionToken: null };
    const { sessionId, context } = entry;
    const at = timestamp(this.clock.now());
    const command = { kind: 'collect-token', sessionId, at } as const;
    // The answer's other parts have been read before: a read model that lags must not cost the token.
    const options = { untilReadable: 'if possible' } as const;
    const { events } = await this.commands.run(pairingSession, sessionId, command, context, options);
    if (events.length === 0) return { connectionId, connectionToken: null };
    if (agent.credentialId !== session.credentialId) {
      // The agent has several keys: revoking the one that collects the token must end the connection too.
      const { credentialId } = agent;
      const handOver = { kind: 'hand-over', connectionId, deviceId, credentialId, at } as const;
      await this.commands.run(tokenHolders, connectionId, handOver, context, options);
    }
    return { connectionId, connectionToken: await this.tokens.current(connectionId) };
  }
}
