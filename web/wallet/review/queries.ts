import { queryOptions } from '@tanstack/react-query';
import { allOf } from '../../live/all-of.ts';
import { SvcError } from '../../../sdk/src/errors.ts';
import { type WalletClient } from '../../../sdk/src/wallet-client.ts';
import { type TransactionContext } from '../../../sdk/src/types/payment.ts';
import { type PaymentKind } from './outbox.ts';
import { fromAgentPayment, fromRequest, inOrder, type Payment } from './payments.ts';

const PAGE_SIZE = 200;

/** Both kinds of payment: every pending one, and the newest of the others. */
export const paymentsQuery = (client: WalletClient) =>
  queryOptions({
    queryKey: ['payments'],
    queryFn: async ({ signal }): Promise<readonly Payment[]> => {
      const [requests, waiting, agentPayments, waitingAgentPayments] = await Promise.all([
        client.listPaymentRequests({ limit: PAGE_SIZE }, { signal }),
        // Pending ones are fetched separately, so that newer payments do not crowd them out.
        allOf(
          (page) => client.listPaymentRequests({ ...page, status: 'pending' }, { signal }),
          (answer) => answer.payment_requests,
        ),
        client.listAgentPayments({ limit: PAGE_SIZE }, { signal }),
        allOf(
          (page) => client.listAgentPayments({ ...page, status: 'intent_created' }, { signal }),
          (answer) => answer.agent_payments,
        ),
      ]);
      const all = [
        ...[...waiting, ...requests.payment_requests].map(fromRequest),
        ...[...waitingAgentPayments, ...agentPayments.agent_payments].map(fromAgentPayment),
      ];
      const known = new Map(all.map((one) => [`${one.kind} ${one.connectionId} ${one.id}`, one]));
      return inOrder([...known.values()]);
    },
  });

export type Reviewed = Readonly<{
  payment: Payment;
  context: TransactionContext | undefined;
  /** Whether the agent has changed its context since it asked. */
  toldSince: boolean;
}>;

export const reviewQuery = (client: WalletClient, kind: PaymentKind, id: string, connectionId: string | undefined) =>
  queryOptions({
    queryKey: ['payment', kind, id, connectionId],
    queryFn: ({ signal }) => readReviewed(client, { kind, id, connectionId }, signal),
  });

type Place = Readonly<{ kind: PaymentKind; id: string; connectionId: string | undefined }>;

/**
 * As it is now at the service, whatever a page shows. Where an id names no request it may name an agent payment: a
 * notice gives the ids of both kinds, and the payment list need not have it.
 */
export async function readReviewed(client: WalletClient, place: Place, signal: AbortSignal): Promise<Reviewed> {
  const { kind, id } = place;
  if (kind === 'agent_payment') return readAgentPayment(client, id, signal);
  return readRequest(client, place, signal).catch(async (error: unknown) => {
    if (!(error instanceof SvcError) || error.code !== 'resource_not_found') throw error;
    return readAgentPayment(client, id, signal);
  });
}

async function readAgentPayment(client: WalletClient, id: string, signal: AbortSignal): Promise<Reviewed> {
  const payment = fromAgentPayment(await client.readAgentPayment(id, { signal }));
  return { payment, context: undefined, toldSince: false };
}

async function readRequest(client: WalletClient, { id, connectionId }: Place, signal: AbortSignal): Promise<Reviewed> {
  const which = connectionId === undefined ? {} : { connectionId };
  const shown = await client.readPaymentRequest(id, { signal, ...which });
  const { transaction_context: context, newer_revision } = shown;
  return { payment: fromRequest(shown.payment_request), context, toldSince: newer_revision !== undefined };
}
