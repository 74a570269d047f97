import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { connections } from '../../../projections/connections.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import {
  connectionSchema,
  connectionTokenSchema,
  connectionView,
  connectionViews,
  connectionPolicies,
  connectionPoliciesSchema,
} from '../../access/connection-view';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { EitherCaller } from '../../access/claim-or-device.guard';
import { Connection } from '../../access/connection.guard';
import { type ConnectionCaller } from '../../http/server/callers';
import { DeviceId } from '../../access/device.guard';
import { indexOf, type Owner, OwnerCaller, ownershipOf } from '../../access/project.guard';
import { knownDocument, ownDocument, ownPage, pageSchema } from '../../http/input/own-documents';
import { PageInput } from '../../http/input/pagination';
import { type Caller, Context } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type ConnectionCommand } from './connection';
import { actsFor, ChangeConnectionInput, currentSchema, NoInput } from './connections.dto';
import { ChangeConnection, RotateConnectionToken } from './connections.handlers';
import { type ConnectionId, type WalletDeviceId } from '../../kernel/aggregates';

@Tag('Connections')
@Controller('v1/connections')
export class ConnectionsController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List the connections of this wallet, or of this merchant',
    description: 'Newest first, including revoked ones. A merchant does not see device ids.',
    credential: 'deviceOrMerchant',
    query: PageInput,
    answer: pageSchema('connections', connectionSchema),
  })
  async list(@Query() page: PageInput, @OwnerCaller() owner: Owner) {
    const { documents, next_cursor } = await ownPage(this.readModel, connections, indexOf(owner), page);
    return { ok: true, connections: await connectionViews(this.readModel, documents), next_cursor };
  }

  /** Must precede `:id`, which would take `current` for an id. */
  @Get('current')
  @Endpoint({
    summary: 'Read the connection whose token this is',
    description:
      'On whose behalf the holder of the token acts. `scopes` is what it may do now: granted, and still allowed.',
    credential: 'connection',
    answer: currentSchema,
  })
  async current(@Connection() caller: ConnectionCaller) {
    const document = await knownDocument(this.readModel, connections, caller.connectionId);
    const connection = await connectionView(this.readModel, document);
    return { ok: true, connection, ...actsFor(caller, connection) };
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read a connection, with the active policies of its agent',
    credential: 'deviceOrMerchant',
    answer: { connection: connectionSchema, automation_policies: connectionPoliciesSchema },
  })
  async readOne(@Param('id') id: ConnectionId, @OwnerCaller() owner: Owner) {
    const document = await ownDocument(this.readModel, connections, id, ownershipOf(owner));
    const [connection, automation_policies] = await Promise.all([
      connectionView(this.readModel, document),
      connectionPolicies(this.readModel, document),
    ]);
    return { ok: true, connection, automation_policies };
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Pause a connection, or make it active again',
    description: 'The agent of a paused connection is refused from this answer on.',
    credential: 'device',
    body: ChangeConnectionInput,
    answer: { connection: connectionSchema },
    errors: ['invalid_status_transition'],
  })
  async change(
    @Param('id') id: ConnectionId,
    @Body() { status }: ChangeConnectionInput,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
  ) {
    const named = { connectionId: id, deviceId, at: this.now() };
    return this.run({ kind: status === 'paused' ? 'pause' : 'resume', ...named }, context);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Revoke a connection',
    description:
      'By the wallet, the merchant, or the holder of its token. Final, from this answer on: what it has asked for and nobody has ' +
      'signed is withdrawn. Revoking it again changes nothing.',
    credential: 'anyParty',
    body: NoInput,
    answer: { connection: connectionSchema },
  })
  async revoke(
    @Param('id') id: ConnectionId,
    @Body() _input: NoInput,
    @EitherCaller() caller: Caller,
    @Context() context: CommandContext,
  ) {
    const end = await this.endBy(id, caller);
    return this.run({ kind: 'revoke', connectionId: id, ...end, at: this.now() }, context);
  }

  /** Who ends it, and the wallet it belongs to; a connection that is none of the caller's does not exist. */
  private async endBy(id: ConnectionId, { connection, merchant, actor }: Caller) {
    if (connection !== undefined) {
      if (connection.connectionId !== id) throw refuse('resource_not_found');
      return { deviceId: connection.deviceId, reason: 'agent' } as const;
    }
    if (merchant === undefined) return { deviceId: actor.id as WalletDeviceId, reason: 'wallet' } as const;
    const { device_id: deviceId } = await ownDocument(this.readModel, connections, id, {
      merchant_id: merchant.merchantId,
    });
    return { deviceId, reason: 'merchant' } as const;
  }

  @Post(':id/rotate-token')
  @Endpoint({
    summary: 'Replace the connection token',
    description: 'The old token stops working with this answer.',
    credential: 'device',
    body: NoInput,
    answer: { connection: connectionSchema, connection_token: connectionTokenSchema },
    errors: ['connection_revoked', 'credential_revoked'],
  })
  async rotate(
    @Param('id') id: ConnectionId,
    @Body() _input: NoInput,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
  ) {
    const token = await this.commands.execute(new RotateConnectionToken(id, deviceId, context));
    return { ok: true, connection: await this.read(id, { deviceId }), connection_token: token };
  }

  private async run(command: ConnectionCommand, context: CommandContext) {
    await this.commands.execute(new ChangeConnection(command, context));
    return { ok: true, connection: await this.read(command.connectionId, command) };
  }

  /** Callers see only their own connections; any other id is treated as nonexistent. */
  private async read(id: string, owner: Owner) {
    const document = await ownDocument(this.readModel, connections, id, ownershipOf(owner));
    return connectionView(this.readModel, document);
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}
