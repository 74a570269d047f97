import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { nextPaymentRequest, type PaymentRequestDocument } from '../../../projections/payment-request-document';
import { refuse } from '../../kernel/errors';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { newId } from '../../kernel/ids';
import { agentPaymentStanding } from '../payments/payment-standing';
import { namedPlace, placesOf } from '../payments/request-names';
import { ForgoAgentPayment } from '../payments/shared-key-commands';
import { Projector } from '../../platform/projecting/projector';
import { assertSameIntent, paymentRequest, type PaymentRequestCommand } from './payment-request';
import { type PaymentRequestCreated, type PaymentRequestEvent } from '../../events/payment-request.events';
import { type ConnectionId, idFor, type MerchantId, type PaymentId } from '../../kernel/aggregates';

/** How a caller identifies its request, and the digest of what it wants. */
export type RequestNames = Readonly<{
  connectionId: ConnectionId;
  merchantId: MerchantId;
  idempotencyKey: string | undefined;
  requestId: string | undefined;
  digest: string;
}>;

/** The id of the stream that holds the request, and, if this call created it, the request as reads show it. */
export type Placed = Readonly<{ place: string; replayed: boolean; created?: PaymentRequestDocument }>;
export type Creation = Omit<PaymentRequestCreated['data'], 'request_id'>;

/**
 * Where a request is stored, so that each key and each id has one effect. A key leads to one stream forever. That
 * stream holds the request or, if the caller chose the request's id, that id (docs/adr/0010).
 */
@Injectable()
export class RequestPlaces {
  constructor(
    private readonly commands: CommandRunner,
    private readonly projector: Projector,
    private readonly bus: CommandBus,
  ) {}

  /** The request that an earlier call with these names created. Refuses names already used for something else. */
  async find(names: RequestNames, at: string, context: CommandContext): Promise<string | undefined> {
    const intent = { connection_id: names.connectionId, intent_digest: names.digest };
    const keyed = streamOfKey(names);
    const key = keyed === undefined ? undefined : await this.commands.fold(paymentRequest, keyed);
    if (key?.state.kind === 'taken') await this.assertUnmade(key.state.paymentId);
    else if (key !== undefined && key.state.kind !== 'unknown') assertSameIntent('key', intent, key.state);
    if (keyed !== undefined && key?.state.kind === 'request') return this.readable(keyed, key.position);

    const name = key?.state.kind === 'assigned' ? key.state.requestId : names.requestId;
    const named = name === undefined ? undefined : await this.named(names.merchantId, name);
    if (named === undefined) return undefined;
    assertSameIntent('id', intent, named.state);
    if (keyed === undefined || key?.state.kind === 'assigned') return this.readable(named.place, named.position);
    // The request exists, but this key is new to it: from now on the key alone finds it too.
    await this.assignKey(keyed, names, at, context);
    return this.find(names, at, context);
  }

  /** The stream that a request with these names will be in. */
  placeFor(names: RequestNames): string {
    if (names.requestId !== undefined) return namedPlace(names.merchantId, names.requestId);
    return streamOfKey(names) ?? newId('pr');
  }

  /** What was created under a key, from the log itself; undefined if nothing was. */
  async byKey(connectionId: ConnectionId, merchantId: MerchantId, key: string): Promise<string | undefined> {
    const keyed = idFor.requestOfKey(connectionId, key);
    const { state, position } = await this.commands.fold(paymentRequest, keyed);
    if (state.kind === 'request') return this.readable(keyed, position);
    if (state.kind !== 'assigned') return undefined;
    const named = await this.named(merchantId, state.requestId);
    const isIts = named?.state.connectionId === connectionId && named.state.intentDigest === state.intentDigest;
    return named && isIts ? this.readable(named.place, named.position) : undefined;
  }

  /** Creates the request, or finds that another call has done so in the meantime. */
  async place(
    names: RequestNames,
    creation: Creation,
    context: CommandContext,
    own: string = newId('pr'),
  ): Promise<Placed> {
    const keyed = streamOfKey(names);
    if (keyed === undefined) {
      if (names.requestId !== undefined) return this.createNamed(names.requestId, creation, context);
      return this.create(own, own, creation, context);
    }
    if (names.requestId !== undefined) {
      const { state } = await this.assignKey(keyed, names, creation.created_at, context);
      return state.kind === 'assigned'
        ? this.createNamed(state.requestId, creation, context)
        : { place: keyed, replayed: true };
    }
    const command = { kind: 'create', by: 'key', created: { request_id: keyed, ...creation } } as const;
    const made = await this.atKey(keyed, names, command, context);
    return made.state.kind === 'assigned'
      ? this.createNamed(made.state.requestId, creation, context)
      : placedIn(keyed, made);
  }

  /** If the id is already in use, in either of its streams, create decides there whether this is a repeat. */
  private async createNamed(name: string, creation: Creation, context: CommandContext): Promise<Placed> {
    const { merchant_id: merchantId } = creation;
    const taken = await this.named(merchantId, name);
    return this.create(taken?.place ?? namedPlace(merchantId, name), name, creation, context);
  }

  private async create(place: string, name: string, creation: Creation, context: CommandContext): Promise<Placed> {
    const command = { kind: 'create', by: 'id', created: { request_id: name, ...creation } } as const;
    return placedIn(place, await this.commands.run(paymentRequest, place, command, context));
  }

  /** The merchant's request with this id, from the log. */
  private async named(merchantId: MerchantId, name: string) {
    for (const place of placesOf(merchantId, name)) {
      const { state, position } = await this.commands.fold(paymentRequest, place);
      if (state.kind === 'request' && state.merchantId === merchantId) return { place, state, position };
    }
    return undefined;
  }

  private assignKey(keyed: string, names: RequestNames, at: string, context: CommandContext) {
    const { connectionId, idempotencyKey = '', requestId = '', digest } = names;
    const assigned = {
      connection_id: connectionId,
      idempotency_key: idempotencyKey,
      intent_digest: digest,
      request_id: requestId,
      assigned_at: at,
    };
    return this.atKey(keyed, names, { kind: 'assign-key', assigned }, context);
  }

  /** If an agent payment has taken the key, forgo that payment first; refuse if it has already been made. */
  private async atKey(
    keyed: string,
    names: RequestNames,
    command: Extract<PaymentRequestCommand, { kind: 'create' | 'assign-key' }>,
    context: CommandContext,
  ) {
    const first = await this.commands.run(paymentRequest, keyed, command, context);
    if (first.state.kind !== 'taken') return first;
    const { paymentId: over } = first.state;
    if (!(await this.forgo(names, context))) throw takenByPayment(over);
    return this.commands.run(paymentRequest, keyed, { ...command, over }, context);
  }

  /** Prevents the agent payment under the same key from being made; false if it already is. */
  forgo(
    { connectionId, merchantId, idempotencyKey: key = '' }: RequestNames,
    context: CommandContext,
  ): Promise<boolean> {
    const paymentId = idFor.paymentOfConnectionKey(connectionId, key);
    return this.bus.execute(new ForgoAgentPayment({ connectionId, merchantId, key, paymentId }, context));
  }

  private async assertUnmade(paymentId: PaymentId): Promise<void> {
    if ((await this.commands.fold(agentPaymentStanding, paymentId)).state !== null) throw takenByPayment(paymentId);
  }

  /** Another process may just have written it: wait until the read model shows it. */
  private async readable(place: string, position: bigint): Promise<string> {
    await this.projector.progress.passed(position);
    return place;
  }
}

/** A request that was just created need not be read back: the event contains everything. */
function placedIn(place: string, { events, version }: Made): Placed {
  const [first, ...more] = events;
  const isMade = first?.type === 'PaymentRequestCreated' && more.length === 0;
  const created = isMade ? nextPaymentRequest(undefined, first, { id: place, version }) : undefined;
  return { place, replayed: first === undefined, ...(created && { created }) };
}

type Made = Readonly<{ events: readonly PaymentRequestEvent[]; version: number }>;

const takenByPayment = (payment_id: PaymentId) => refuse('IDEMPOTENCY_KEY_REUSED', { details: { payment_id } });

const streamOfKey = ({ connectionId, idempotencyKey }: RequestNames): string | undefined =>
  idempotencyKey === undefined ? undefined : idFor.requestOfKey(connectionId, idempotencyKey);
