import { type ContextContent, type ReviseContext } from './transaction-context';
import { type TransactionContextEvent } from '../../events/transaction-context.events';

const at = '2030-01-01T00:00:00.000Z';
const named = {
  contextId: 'txn_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  connectionId: 'con_1',
  transactionId: 'order-7',
  at,
} as const;

export const content: ContextContent = {
  title: 'Order 7',
  summary: 'Two coffees',
  items: [{ label: 'Coffee', value: '2' }],
  reference_url: 'https://shop.example/orders/7',
  metadata: { table: 4, nested: { a: 1, b: 2 } },
};

export const describeOrder: ReviseContext = { ...named, content };
/** The same content with its keys in a different order. */
export const describeOrderAgain: ReviseContext = {
  ...named,
  content: { ...content, metadata: { nested: { b: 2, a: 1 }, table: 4 } },
};
export const correctOrder: ReviseContext = { ...named, content: { ...content, title: 'Order 7, corrected' } };

const revised = (revision: number, said: ContextContent): TransactionContextEvent => ({
  type: 'TransactionContextRevised',
  data: {
    context_id: named.contextId,
    transaction_id: 'order-7',
    connection_id: 'con_1',
    revision,
    ...said,
    revised_at: at,
  },
});
export const described = revised(1, content);
export const corrected = revised(2, correctOrder.content);
export const describedAgain = revised(3, content);
