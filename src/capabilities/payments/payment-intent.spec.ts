import { given } from '../../../test/support/given';
import { type PaymentIntentCommand, paymentIntent } from './payment-intent';
import { type PaymentIntentEvent } from '../../events/payment-intent.events';

const at = '2030-01-01T00:00:00.000Z';
const names = { connection_id: 'con_1', merchant_id: 'mer_1' } as const;
const taken = (request_id: string) => ({
  ...names,
  recipient_id: 'rcp_1' as const,
  amount: '1',
  request_id,
  taken_at: at,
});
const take = (request_id: string, over: string | null = null): PaymentIntentCommand => ({
  kind: 'take',
  taken: taken(request_id),
  over,
});
const release = (requestId: string): PaymentIntentCommand => ({
  kind: 'release',
  requestId,
  connectionId: 'con_1',
  merchantId: 'mer_1',
  at,
});
const took = (request_id: string): PaymentIntentEvent => ({ type: 'PaymentIntentTaken', data: taken(request_id) });
const released = (request_id: string): PaymentIntentEvent => ({
  type: 'PaymentIntentReleased',
  data: { ...names, request_id, released_at: at },
});

const past = given(paymentIntent);

describe('the place of a recipient and amount', () => {
  it('goes to the first', () => past().when(take('a')).then(took('a')));
  it('is the holder’s however often it asks', () => past(took('a')).when(take('a')).thenNothing());
  it('goes to nobody else', () => past(took('a')).when(take('b')).thenRefused('possible_duplicate'));
  it('goes on from a holder that is over', () => past(took('a')).when(take('b', 'a')).then(took('b')));
  it('does not go on from another than was looked at', () =>
    past(took('a'), took('c')).when(take('b', 'a')).thenRefused('possible_duplicate'));
  it('must be taken anew by who lost it', () =>
    past(took('a'), took('b')).when(take('a')).thenRefused('possible_duplicate'));
  it('is given back by its holder alone', () => {
    past(took('a')).when(release('a')).then(released('a'));
    past(took('b')).when(release('a')).thenNothing();
    past(took('a'), released('a')).when(take('b')).then(took('b'));
  });
});
