import { Injectable } from '@nestjs/common';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { derivedId, newId } from '../../kernel/ids';
import { Projector } from '../../platform/projecting/projector';
import { assertSameIntent, paymentRequest } from './payment-request';
import { type PaymentRequestCreated } from './payment-request.events';

/** What a caller calls its request by, and what it wants by that. */
export type Names = Readonly<{
  connectionId: string;
  idempotencyKey: string | undefined;
  requestId: string | undefined;
  digest: string;
}>;

export type Placed = Readonly<{ requestId: string; replayed: boolean }>;
export type Creation = Omit<PaymentRequestCreated['data'], 'request_id'>;

/**
 * Where a request goes, so that one key and one id each have one effect. A key leads to one stream for ever. The request is
 * in that stream, or, if the caller named the request itself, the stream says under which id it is (docs/adr/0010).
 */
@Injectable()
export class RequestPlaces {
  constructor(
    private readonly commands: CommandRunner,
    private readonly projector: Projector,
  ) {}

  /** The request that an earlier call with these names made. Refuses names that mean something else already. */
  async find(names: Names, at: string, context: CommandContext): Promise<string | undefined> {
    const intent = { connection_id: names.connectionId, intent_digest: names.digest };
    const keyed = streamOfKey(names);
    const key = keyed === undefined ? undefined : await this.commands.fold(paymentRequest, keyed);
    if (key !== undefined && key.state.kind !== 'unknown') assertSameIntent('key', intent, key.state);
    if (keyed !== undefined && key?.state.kind === 'request') return this.readable(keyed, key.position);

    const requestId = key?.state.kind === 'assigned' ? key.state.requestId : names.requestId;
    if (requestId === undefined) return undefined;
    const { state, position } = await this.commands.fold(paymentRequest, requestId);
    if (state.kind === 'unknown') return undefined;
    assertSameIntent('id', intent, state);
    if (keyed === undefined || key?.state.kind === 'assigned') return this.readable(requestId, position);
    // The request is there, but this key came to it only now: from now on the key alone finds it too.
    await this.assignKey(keyed, names, at, context);
    return this.find(names, at, context);
  }

  /** The id that a request of these names will have. */
  idFor(names: Names): string {
    return names.requestId ?? streamOfKey(names) ?? newId('pr');
  }

  /** What was made under a key, from the log itself; undefined if nothing was. */
  async byKey(connectionId: string, key: string): Promise<string | undefined> {
    const keyed = derivedId('pr', connectionId, 'key', key);
    const { state, position } = await this.commands.fold(paymentRequest, keyed);
    if (state.kind === 'request') return this.readable(keyed, position);
    if (state.kind !== 'assigned') return undefined;
    const named = await this.commands.fold(paymentRequest, state.requestId);
    return named.state.kind === 'request' ? this.readable(state.requestId, named.position) : undefined;
  }

  /** Creates the request, or finds that another call has done so in the meantime. */
  async place(names: Names, creation: Creation, context: CommandContext): Promise<Placed> {
    const keyed = streamOfKey(names);
    if (keyed === undefined) return this.create(names.requestId ?? newId('pr'), creation, context);
    if (names.requestId !== undefined) {
      const { state } = await this.assignKey(keyed, names, creation.created_at, context);
      return state.kind === 'assigned'
        ? this.create(state.requestId, creation, context)
        : { requestId: keyed, replayed: true };
    }
    const command = { kind: 'create', by: 'key', created: { request_id: keyed, ...creation } } as const;
    const { state, events } = await this.commands.run(paymentRequest, keyed, command, context);
    return state.kind === 'assigned'
      ? this.create(state.requestId, creation, context)
      : { requestId: keyed, replayed: events.length === 0 };
  }

  private async create(requestId: string, creation: Creation, context: CommandContext): Promise<Placed> {
    const command = { kind: 'create', by: 'id', created: { request_id: requestId, ...creation } } as const;
    const { events } = await this.commands.run(paymentRequest, requestId, command, context);
    return { requestId, replayed: events.length === 0 };
  }

  private assignKey(keyed: string, names: Names, at: string, context: CommandContext) {
    const { connectionId, idempotencyKey = '', requestId = '', digest } = names;
    const assigned = {
      connection_id: connectionId,
      idempotency_key: idempotencyKey,
      intent_digest: digest,
      request_id: requestId,
      assigned_at: at,
    };
    return this.commands.run(paymentRequest, keyed, { kind: 'assign-key', assigned }, context);
  }

  /** What another process wrote a moment ago must be shown by reads before it is answered with. */
  private async readable(requestId: string, position: bigint): Promise<string> {
    await this.projector.progress.passed(position);
    return requestId;
  }
}

const streamOfKey = ({ connectionId, idempotencyKey }: Names): string | undefined =>
  idempotencyKey === undefined ? undefined : derivedId('pr', connectionId, 'key', idempotencyKey);
