import { Inject, Injectable } from '@nestjs/common';
import { type AgentPaymentDocument, agentPayments } from '../../../projections/agent-payments.projection';
import { type PaymentRequestDocument } from '../../../projections/payment-request-document';
import { sameAs } from '../../../projections/reported-transaction';
import { paymentRequests } from '../../../projections/payment-requests.projection';
import { shortestAmount } from '../../kernel/amounts';
import { addSeconds, timestamp } from '../../kernel/clock';
import { Refusal, refuse } from '../../kernel/errors';
import { BatchedLookup } from '../../kernel/batched-lookup';
import { newId } from '../../kernel/ids';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type Holder, paymentIntent } from './payment-intent';
import { agentPaymentStanding, requestStanding, type Wanted } from './payment-standing';
import {
  type AgentId,
  type ConnectionId,
  idFor,
  isIdIn,
  type MerchantId,
  type RecipientId,
  type WalletDeviceId,
} from '../../kernel/aggregates';

export type Duplicate = Readonly<{ request_id: string; status: string; created_at: string }>;

/** What is requested, by whom, and in which stream (`requestId` is the id of the request or agent payment). */
export type Asked = Readonly<{
  connectionId: ConnectionId;
  deviceId: WalletDeviceId;
  agentId: AgentId;
  merchantId: MerchantId;
  recipientId: RecipientId;
  amount: string;
  requestId: string;
  /** The connection's key for it, if it has one: the agent may have used the same on another connection. */
  key?: string | undefined;
  /** What its parties will call it, if its caller has chosen that. */
  chosenId?: string | undefined;
  /** What the same key would make through the other API, and how to prevent it: both are one order. */
  rival?: Readonly<{ id: string; forgo(): Promise<boolean> }>;
}>;

/** A call's hold on the place of its recipient and amount. */
export type Hold = Readonly<{ asked: Asked; callId: string }>;

const DAY_SECONDS = 24 * 3_600;
const MAX_SHOWN = 10;
/** A holder that has created nothing after this long has crashed or was refused: no call takes this long. */
const ABANDONED_AFTER_SECONDS = 10 * 60;
/** Each attempt finds a new holder, after the previous one turned out to be no duplicate. */
const MAX_ATTEMPTS = 20;
const UNSUCCESSFUL: ReadonlySet<string> = new Set(['failed', 'expired', 'rejected']);

type IntentKey = readonly [deviceId: string, sameAs: string];
type AgentKey = readonly [deviceId: string, agentId: string, key: string];
type Requests = readonly PaymentRequestDocument[];

/**
 * Detects payments that repeat an earlier one: the same recipient and amount within a day, on any connection of the
 * device; or the same key of the same agent on another of them, whenever and whatever became of it: an agent that lost
 * its token and connected again means the same order. A recipient and an agent belong to one merchant, so nobody learns
 * of another merchant's payments.
 */
@Injectable()
export class Duplicates {
  /** Every create asks: concurrent lookups are batched. */
  private readonly newest: BatchedLookup<IntentKey, Requests>;
  private readonly ofKey: BatchedLookup<AgentKey, Requests>;

  constructor(
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {
    this.newest = new BatchedLookup((asked) => readModel.findEach(paymentRequests, 'by_device_intent', asked, PAGE));
    this.ofKey = new BatchedLookup((asked) => readModel.findEach(paymentRequests, 'by_agent_key', asked, PAGE));
  }

  /** Those of the same order first, then open or confirmed ones, newest first, as reads show them. */
  async of(asked: Omit<Asked, 'merchantId'>, now: Date): Promise<readonly Duplicate[]> {
    const agentKey = agentKeyOf(asked);
    const [ofKey, newest] = await Promise.all([
      agentKey === undefined ? [] : this.ofKey.get(agentKey),
      this.newest.get(intentKey(asked)),
    ]);
    return allOf(ofOtherConnections(ofKey, asked), recentOthers(newest, asked, now)).map(
      ({ request_id, status, created_at }) => ({ request_id, status, created_at }),
    );
  }

  /** The same for agent payments, which are identified by their own id. */
  private async agentPaymentsOf(asked: Asked, now: Date): Promise<readonly Duplicate[]> {
    const agentKey = agentKeyOf(asked);
    const [ofKey, newest] = await Promise.all([
      agentKey === undefined ? undefined : this.readModel.find(agentPayments, 'by_agent_key', agentKey, PAGE),
      this.readModel.find(agentPayments, 'by_device_intent', intentKey(asked), PAGE),
    ]);
    // A key of the merchant's own scope is no key of the agent's.
    const shared = (ofKey?.documents ?? []).filter((one) => sharedKeyOf(one) !== undefined);
    return allOf(ofOtherConnections(shared, asked), recentOthers(newest.documents, asked, now)).map(
      ({ id, status, created_at }) => ({ request_id: id, status, created_at }),
    );
  }

  /**
   * Makes sure that this will be the only one, or refuses. Of all concurrent calls one gets through, on any store; all
   * calls for the same request count as one, each holding the place until it ends.
   */
  async refuseUnlessOnly(asked: Asked, now: Date, context: CommandContext): Promise<Hold> {
    await this.refuseShown(asked, now);
    const place = placeOf(asked);
    const callId = newId('req');
    const taken = {
      connection_id: asked.connectionId,
      device_id: asked.deviceId,
      merchant_id: asked.merchantId,
      recipient_id: asked.recipientId,
      amount: shortestAmount(asked.amount),
      request_id: asked.requestId,
      ...(asked.chosenId === undefined ? {} : { chosen_id: asked.chosenId }),
      call_id: callId,
      taken_at: timestamp(now),
    };
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const over = await this.replaceableHolder(asked, now);
      try {
        await this.commands.run(paymentIntent, place, { kind: 'take', taken, over }, context);
        return { asked, callId };
      } catch (error) {
        // Someone else has taken it since it was read: the next attempt decides on the new holder.
        if (!(error instanceof Refusal) || error.code !== 'possible_duplicate') throw error;
      }
    }
    throw refuse('store_unavailable', { headers: { 'Retry-After': '1' } });
  }

  /** Refuses what would be refused now, without taking a hold. */
  async refuseIfAny(asked: Omit<Asked, 'rival'>, now: Date): Promise<void> {
    await this.refuseShown(asked, now);
    await this.replaceableHolder(asked, now);
  }

  private async refuseShown(asked: Asked, now: Date): Promise<void> {
    const shown = (await Promise.all([this.of(asked, now), this.agentPaymentsOf(asked, now)])).flat();
    if (shown.length > 0) throw possibleDuplicate(shown);
  }

  /** The holder of the place, which may be taken over from it; refuses if it may not. */
  private async replaceableHolder(asked: Asked, now: Date): Promise<Holder | null> {
    const { holder } = (await this.commands.fold(paymentIntent, placeOf(asked))).state;
    if (holder === null || holder.requestId === asked.requestId) return holder;
    const live = await this.liveHolder(holder, asked, now);
    if (live !== undefined) throw possibleDuplicate([live]);
    return holder;
  }

  /**
   * Releases the place after a refusal if neither this call nor another with the same key made anything, so the next
   * need not wait; another call with the same key that is still under way keeps it. After an outage it stays taken: an
   * append may still be in flight.
   */
  async releaseAfter(error: unknown, { asked, callId }: Hold, now: Date, context: CommandContext): Promise<void> {
    if (!(error instanceof Refusal) || error.code === 'store_unavailable') return;
    const { requestId, connectionId, merchantId } = asked;
    if ((await this.madeIn(requestId, asked)) !== null) return;
    const command = { kind: 'release', requestId, callId, connectionId, merchantId, at: timestamp(now) } as const;
    await this.commands.run(paymentIntent, placeOf(asked), command, context);
  }

  /** From the log itself, not from the read model. */
  private async liveHolder(holder: Holder, asked: Asked, now: Date): Promise<Duplicate | undefined> {
    const { requestId, chosenId = requestId, calls } = holder;
    const { rival } = asked;
    const takenAt = calls.at(-1)?.takenAt ?? '';
    const age = now.getTime() - Date.parse(takenAt);
    if (age > DAY_SECONDS * 1_000) return undefined;
    if (requestId === rival?.id && (await rival.forgo())) return undefined;
    const made = await this.madeIn(requestId, asked);
    if (made !== null) {
      const { name, status } = made;
      return UNSUCCESSFUL.has(status) ? undefined : { request_id: name, status, created_at: takenAt };
    }
    return age > ABANDONED_AFTER_SECONDS * 1_000
      ? undefined
      : { request_id: chosenId, status: 'pending', created_at: takenAt };
  }

  /** Also null if the stream asks for something else: then the holder lost a race for that request id. */
  private async madeIn(id: string, asked: Asked) {
    const standing = await this.standingOf(id);
    return standing !== null && isSame(standing.wanted, asked) ? standing : null;
  }

  private async standingOf(id: string) {
    if (isIdIn('agent_payment', id)) return (await this.commands.fold(agentPaymentStanding, id)).state;
    return (await this.commands.fold(requestStanding, id)).state;
  }
}

/**
 * At least two of the largest, because one may be the request itself: a body of 64 KiB is stored as text in text, which
 * is twice as long at most. Reading ten of those would cost more than all the rest.
 */
const PAGE = { limit: MAX_SHOWN + 1, order: 'desc', bytes: 136 * 1024 } as const;

const intentKey = ({ deviceId, recipientId, amount }: Omit<Asked, 'merchantId'>): IntentKey => [
  deviceId,
  sameAs({ recipient_id: recipientId, amount }),
];

const agentKeyOf = ({ deviceId, agentId, key }: Omit<Asked, 'merchantId'>): AgentKey | undefined =>
  key === undefined ? undefined : [deviceId, agentId, key];

/** The key that an agent payment shares with the requests of its connection (docs/adr/0019), if it has such a one. */
export const sharedKeyOf = (payment: Pick<AgentPaymentDocument, 'id' | 'connection_id' | 'idempotency_key'>) => {
  const { id, connection_id, idempotency_key: key } = payment;
  return key !== null && id === idFor.paymentOfConnectionKey(connection_id, key) ? key : undefined;
};

const ofOtherConnections = <D extends Readonly<{ connection_id: string }>>(
  documents: readonly D[],
  { connectionId }: Omit<Asked, 'merchantId'>,
): readonly D[] => documents.filter(({ connection_id }) => connection_id !== connectionId);

/** Each once, the first list's before the second's. */
const allOf = <D extends Readonly<{ id: string }>>(first: readonly D[], second: readonly D[]): readonly D[] =>
  [...new Map([...first, ...second].map((one) => [one.id, one])).values()].slice(0, MAX_SHOWN);

function recentOthers<D extends Readonly<{ id: string; created_at: string }>>(
  documents: readonly D[],
  { requestId }: Omit<Asked, 'merchantId'>,
  now: Date,
): readonly D[] {
  const from = timestamp(addSeconds(now, -DAY_SECONDS));
  return documents.filter(({ id, created_at }) => id !== requestId && created_at >= from).slice(0, MAX_SHOWN);
}

const isSame = ({ deviceId, recipientId, amount }: Wanted, asked: Asked): boolean =>
  deviceId === asked.deviceId &&
  recipientId === asked.recipientId &&
  shortestAmount(amount) === shortestAmount(asked.amount);

const placeOf = ({ deviceId, recipientId, amount }: Asked) =>
  idFor.paymentIntent(deviceId, recipientId, shortestAmount(amount));

export const possibleDuplicate = (duplicates: readonly Duplicate[]): Refusal =>
  refuse('possible_duplicate', { details: { duplicates } });
