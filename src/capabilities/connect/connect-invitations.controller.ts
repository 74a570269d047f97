import { Body, Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import {
  connectInvitations,
  connectInvitationsProjection,
  type ConnectInvitationDocument,
} from '../../../projections/connect-invitations.projection';
import { walletDevices } from '../../../projections/wallet-devices.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { text } from '../../http/input/checks';
import { approvedConnection, connectionSchema, connectionTokenSchema } from '../../access/connection-view';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Agent } from '../../access/agent-token.guard';
import { type AgentCaller } from '../../http/server/callers';
import { Claimant } from '../../access/claim.guard';
import { type ClaimCaller } from '../../http/server/callers';
import { EitherCaller } from '../../access/claim-or-device.guard';
import { DeviceId } from '../../access/device.guard';
import { knownDocument, ownPage } from '../../http/input/own-documents';
import { nextCursorSchema, PageInput } from '../../http/input/pagination';
import { type Caller, Context } from '../../http/server/request-context';
import { readDraft } from '../../http/input/draft';
import { withoutRepeats } from '../../http/input/scope-list';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { History } from '../../platform/read-model/history';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import {
  ApproveInvitationInput,
  ClaimInput,
  invitationSchema,
  invitationView,
  NoInput,
  walletInvitationView,
} from './connect.dto';
import { DecideOnInvitation, ExchangeInvitation } from './connect-invitations.handlers';
import { ClaimConnectKey } from './connect-keys.handlers';
import { ExpireInvitations } from './expire-invitations';
import { type InvitationId, type WalletDeviceId } from '../../kernel/aggregates';

const claimTokenSchema = text({ max: 200, description: 'Shown once; for detail and exchange', example: 'svc_cl_…' });

@Tag('Connect')
@Controller('v1/connect-invitations')
export class ConnectInvitationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly expiry: ExpireInvitations,
    private readonly history: History,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('claim')
  @Endpoint({
    summary: 'Claim a Connect Key',
    description: 'The person has 10 minutes to decide. An unknown key and a spent one are answered alike.',
    credential: 'agent',
    status: 201,
    body: ClaimInput,
    readsBodyItself: true,
    answer: { connect_invitation: invitationSchema, claim_token: claimTokenSchema.schema },
    errors: ['invalid_grant', 'scope_not_allowed', 'invitation_expired'],
  })
  async claim(
    @Body() body: Readonly<Record<string, unknown>>,
    @Agent() agent: AgentCaller,
    @Context() context: CommandContext,
  ) {
    const draft = readDraft(ClaimInput, body);
    const claimed = await this.commands.execute(new ClaimConnectKey(draft, agent, context));
    const { invitationId: id, version } = claimed;
    // From the log, not from the read model: the key is used up, and this answer alone holds the claim token.
    const document = await this.history.documentAtVersion(
      connectInvitationsProjection,
      connectInvitations,
      'connect_invitation',
      id,
      version,
    );
    if (document === undefined) throw new Error('what was claimed has no invitation');
    const invitation = invitationView(document);
    return { ok: true, connect_invitation: invitation, claim_token: claimed.claimToken };
  }

  @Get()
  @Endpoint({
    summary: 'List invitations that wait for this wallet’s decision, newest first',
    credential: 'device',
    query: PageInput,
    answer: { connect_invitations: { type: 'array', items: invitationSchema }, next_cursor: nextCursorSchema },
  })
  async waiting(@Query() page: PageInput, @DeviceId() deviceId: WalletDeviceId) {
    const { documents, next_cursor } = await ownPage(this.readModel, connectInvitations, ['waiting', deviceId], page);
    const now = timestamp(this.clock.now());
    const waiting = documents.filter(({ expires_at }) => now < expires_at);
    return { ok: true, connect_invitations: waiting.map(walletInvitationView), next_cursor };
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read an invitation',
    description: 'For the agent that claimed it, by its claim token, and for the wallet that created the key.',
    credential: 'claimOrDevice',
    answer: { connect_invitation: invitationSchema },
  })
  async readOne(@Param('id') id: InvitationId, @EitherCaller() caller: Caller) {
    if (caller.claim !== undefined) {
      const invitation = await this.asDecided(await this.expiry.asOfNow(own(id, caller.claim)));
      return { ok: true, connect_invitation: invitationView(invitation) };
    }
    const { device_id: deviceId } = await this.read(id);
    if (deviceId !== caller.actor.id) throw refuse('resource_not_found');
    return { ok: true, connect_invitation: walletInvitationView(await this.expiry.asOfNow(id)) };
  }

  @Post(':id/approve')
  @Endpoint({
    summary: 'Approve an invitation',
    description: 'Grants what was requested, or less if `scopes` is given. The connection exists from this answer on.',
    credential: 'device',
    body: ApproveInvitationInput,
    answer: { connect_invitation: invitationSchema, connection: connectionSchema },
    errors: ['scope_not_allowed', 'invalid_status_transition', 'invitation_expired', 'credential_revoked'],
  })
  async approve(
    @Param('id') id: InvitationId,
    @Body() input: ApproveInvitationInput,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
  ) {
    const scopes = input.scopes === undefined ? null : withoutRepeats(input.scopes);
    await this.commands.execute(new DecideOnInvitation(id, deviceId, { kind: 'approve', scopes }, context));
    const invitation = await this.read(id);
    const connection = await approvedConnection(this.readModel, invitation.connection_id);
    return { ok: true, connect_invitation: walletInvitationView(invitation), connection };
  }

  @Post(':id/reject')
  @Endpoint({
    summary: 'Reject an invitation',
    credential: 'device',
    body: NoInput,
    answer: { connect_invitation: invitationSchema },
    errors: ['invalid_status_transition', 'invitation_expired'],
  })
  async reject(
    @Param('id') id: InvitationId,
    @Body() _input: NoInput,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
  ) {
    await this.commands.execute(new DecideOnInvitation(id, deviceId, { kind: 'reject' }, context));
    return { ok: true, connect_invitation: walletInvitationView(await this.read(id)) };
  }

  @Post(':id/exchange')
  @Endpoint({
    summary: 'Exchange an approved invitation for a connection token',
    description: 'Once. If this answer is lost, the person can rotate the token in the wallet, or connect again.',
    credential: 'claim',
    body: NoInput,
    answer: { connection: connectionSchema, connection_token: connectionTokenSchema },
    errors: [
      'approval_pending',
      'invitation_rejected',
      'already_exchanged',
      'invitation_expired',
      'connection_revoked',
    ],
  })
  async exchange(
    @Param('id') id: InvitationId,
    @Body() _input: NoInput,
    @Claimant() claim: ClaimCaller,
    @Context() context: CommandContext,
  ) {
    const exchanged = await this.commands.execute(new ExchangeInvitation(own(id, claim), context));
    return { ok: true, connection: exchanged.connection, connection_token: exchanged.connectionToken };
  }

  /** Once its wallet is removed, nobody can decide: it is shown as the exchange answers it. */
  private async asDecided(invitation: ConnectInvitationDocument): Promise<ConnectInvitationDocument> {
    if (invitation.status !== 'claimed') return invitation;
    const wallet = await this.readModel.get(walletDevices, invitation.device_id);
    if (wallet?.status !== 'removed') return invitation;
    return { ...invitation, status: 'rejected', updated_at: wallet.updated_at };
  }

  private read(id: string): Promise<ConnectInvitationDocument> {
    return knownDocument(this.readModel, connectInvitations, id);
  }
}

/** A claim token grants access to its own invitation; any other id is treated as nonexistent. */
function own(id: InvitationId, { invitationId }: ClaimCaller): InvitationId {
  if (id !== invitationId) throw refuse('resource_not_found');
  return id;
}
