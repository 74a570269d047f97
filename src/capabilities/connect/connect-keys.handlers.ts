import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { complete, type Draft } from '../../http/input/draft';
import { scopesBeyond, withoutRepeats } from '../../http/input/scope-list';
import { type AgentCaller } from '../../http/server/callers';
import { deviceInUse } from '../../access/device-in-use';
import { merchantProfile } from '../../access/merchant-profile';
import { addSeconds, CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { type Issue, refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { type Made } from '../../http/input/keyed-draft';
import { type MadeUnderKey } from '../../kernel/made-under-key';
import { DerivedTokens } from '../../platform/secrets/derived-tokens';
import { newTokenFor, subjectOf } from '../../platform/secrets/bound-tokens';
import { hashToken, tokenMatches } from '../../platform/secrets/tokens';
import { type Claim, connectInvitation } from './connect-invitation';
import { type ClaimInput } from './connect.dto';
import { idFor, type WalletDeviceId, type InvitationId } from '../../kernel/aggregates';

const KEY_SECONDS = 10 * 60;
/** Starts at the claim and covers the decision and the exchange together. */
const INVITATION_SECONDS = 10 * 60;

/** The key is undefined if it was issued before, more than ten minutes ago. */
export type NewConnectKey = Made<InvitationId> & Readonly<{ connectKey: string | undefined; expiresAt: string }>;

/** The wallet issues a key that it can give to one agent. */
export class IssueConnectKey extends Command<NewConnectKey> {
  constructor(
    readonly deviceId: WalletDeviceId,
    readonly label: string | null,
    readonly under: MadeUnderKey | undefined,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(IssueConnectKey)
export class IssueConnectKeyHandler implements ICommandHandler<IssueConnectKey> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly tokens: DerivedTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ deviceId, label, under, context }: IssueConnectKey): Promise<NewConnectKey> {
    const now = this.clock.now();
    const id = under ? idFor.underKey('inv', deviceId, under.idempotency_key) : newId('inv');
    const connectKey = under ? this.tokens.first('connectKey', id) : newTokenFor('connectKey', id);
    const expiresAt = timestamp(addSeconds(now, KEY_SECONDS));
    const keyHash = hashToken(connectKey);
    const command = {
      kind: 'issue-key',
      invitationId: id,
      deviceId,
      label,
      keyHash,
      at: timestamp(now),
      expiresAt,
      under,
    } as const;
    const { state, events } = await this.commands.run(connectInvitation, id, command, context);
    if (events.length > 0) return { id, replayed: false, connectKey, expiresAt };
    if (state.status === 'unknown') throw new Error(`${id} lost the key it was issued with`);
    const { keyHash: hash, issued } = state;
    const again = this.tokens.firstAgain('connectKey', id, { hash, at: issued.at }, now);
    return { id, replayed: true, connectKey: again, expiresAt: issued.until };
  }
}

export type ClaimedInvitation = Readonly<{ invitationId: InvitationId; version: number; claimToken: string }>;

/** An agent claims a key and states the scopes it wants. */
export class ClaimConnectKey extends Command<ClaimedInvitation> {
  constructor(
    readonly draft: Draft<ClaimInput>,
    readonly agent: AgentCaller,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ClaimConnectKey)
export class ClaimConnectKeyHandler implements ICommandHandler<ClaimConnectKey> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ draft, agent, context }: ClaimConnectKey): Promise<ClaimedInvitation> {
    const { sound } = draft;
    const beyond = scopesBeyond(draft.entriesOf('requested_scopes'), agent.allowedScopes);
    const opened = sound.connect_key === undefined ? undefined : await this.openedBy(sound.connect_key);
    const noKey = sound.connect_key === undefined || opened !== undefined ? [] : [NO_SUCH_KEY];
    const input = complete(draft, draft.issues.length > 0 ? [...beyond, ...noKey] : []);
    const requestedScopes = withoutRepeats(input.requested_scopes);
    if (beyond.length > 0) {
      const scopes = requestedScopes.filter((scope) => !agent.allowedScopes.includes(scope));
      throw refuse('scope_not_allowed', { details: { scopes }, issues: [...beyond, ...noKey] });
    }
    if (opened === undefined) throw refuse('invalid_grant');
    const { state: merchant } = await this.commands.fold(merchantProfile, agent.merchantId);
    const claimToken = newTokenFor('claim', opened);
    const claim: Claim = {
      agentId: agent.agentId,
      agentName: agent.agentName,
      credentialId: agent.credentialId,
      merchantId: agent.merchantId,
      merchantName: merchant.name,
      merchantDomain: merchant.domain,
      requestedScopes,
      claimTokenHash: hashToken(claimToken),
    };
    const now = this.clock.now();
    const expiresAt = timestamp(addSeconds(now, INVITATION_SECONDS));
    const command = { kind: 'claim', invitationId: opened, claim, at: timestamp(now), expiresAt } as const;
    const { state, version } = await this.commands.run(connectInvitation, opened, command, context, {
      untilReadable: 'if possible',
    });
    if (state.status === 'expired') throw refuse('invitation_expired');
    return { invitationId: opened, version, claimToken };
  }

  /** Undefined for an unknown key, a used one and one of a removed wallet: all get the same response. */
  private async openedBy(connectKey: string): Promise<InvitationId | undefined> {
    const invitationId = subjectOf('connectKey', 'inv', connectKey);
    if (invitationId === undefined) return undefined;
    const { state } = await this.commands.fold(connectInvitation, invitationId);
    const isKnown = tokenMatches(connectKey, state.status === 'unknown' ? undefined : state.keyHash);
    if (!isKnown || state.status === 'unknown' || state.claim !== null) return undefined;
    // Only that wallet could decide: without it, the agent would wait in vain.
    const { state: device } = await this.commands.fold(deviceInUse, state.deviceId);
    return device === undefined ? undefined : invitationId;
  }
}

const NO_SUCH_KEY: Issue = {
  code: 'invalid_grant',
  field: 'connect_key',
  message: 'cannot be claimed; ask the person for a new key',
};
