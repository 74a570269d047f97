import { given } from '../../../test/support/given';
import { type Holder, type PaymentIntentCommand, paymentIntent } from './payment-intent';
import { type PaymentIntentEvent } from '../../events/payment-intent.events';

const at = '2030-01-01T00:00:00.000Z';
const names = { connection_id: 'con_1', merchant_id: 'mer_1' } as const;
const taken = (request_id: string, call_id: string) => ({
  ...names,
  recipient_id: 'rcp_1' as const,
  amount: '1',
  request_id,
  call_id,
  taken_at: at,
});
const held = (requestId: string, id = `${requestId}1`): Holder => ({ requestId, calls: [{ id, takenAt: at }] });
const take = (requestId: string, over: Holder | null = null, call = `${requestId}1`): PaymentIntentCommand => ({
  kind: 'take',
  taken: taken(requestId, call),
  over,
});
const release = (requestId: string, callId = `${requestId}1`): PaymentIntentCommand => ({
  kind: 'release',
  requestId,
  callId,
  connectionId: 'con_1',
  merchantId: 'mer_1',
  at,
});
const took = (requestId: string, call = `${requestId}1`): PaymentIntentEvent => ({
  type: 'PaymentIntentTaken',
  data: taken(requestId, call),
});
const released = (request_id: string, call_id = `${request_id}1`): PaymentIntentEvent => ({
  type: 'PaymentIntentReleased',
  data: { ...names, request_id, call_id, released_at: at },
});
/** As in logs from before calls had ids. */
const unnamed = ({ type, data: { call_id: _, ...data } }: PaymentIntentEvent): PaymentIntentEvent =>
  ({ type, data }) as PaymentIntentEvent;

const past = given(paymentIntent);

describe('the place of a recipient and amount', () => {
  it('goes to the first', () => past().when(take('a')).then(took('a')));
  it('is the holder’s in each of its calls', () => {
    past(took('a')).when(take('a')).thenNothing();
    past(took('a'))
      .when(take('a', null, 'a2'))
      .then(took('a', 'a2'));
  });
  it('goes to nobody else', () => past(took('a')).when(take('b')).thenRefused('possible_duplicate'));
  it('takes over from a holder that has ended', () =>
    past(took('a'))
      .when(take('b', held('a')))
      .then(took('b')));
  it('does not take over from a holder other than the one that was checked', () =>
    past(took('a'), took('c'))
      .when(take('b', held('a')))
      .thenRefused('possible_duplicate'));
  it('does not take over from a holder that has called again since it was checked', () =>
    past(took('a'), took('a', 'a2'))
      .when(take('b', held('a')))
      .thenRefused('possible_duplicate'));
  it('does not take over from a holder one of whose calls has been replaced since it was checked', () => {
    past(took('a'), released('a'), took('a', 'a2'))
      .when(take('b', held('a')))
      .thenRefused('possible_duplicate');
    const checked = { requestId: 'a', calls: ['a1', 'a2'].map((id) => ({ id, takenAt: at })) };
    past(took('a'), took('a', 'a2'), released('a', 'a2'), took('a', 'a3'))
      .when(take('b', checked))
      .thenRefused('possible_duplicate');
  });
  it('must be taken again by a call that lost it', () =>
    past(took('a'), took('b')).when(take('a')).thenRefused('possible_duplicate'));
  it('is released by its holder alone', () => {
    past(took('a')).when(release('a')).then(released('a'));
    past(took('b')).when(release('a')).thenNothing();
    past(took('a'), released('a')).when(take('b')).then(took('b'));
  });
  it('is free when the last call of its holder has released it', () => {
    const one = [took('a'), took('a', 'a2'), released('a')];
    past(...one)
      .when(take('b'))
      .thenRefused('possible_duplicate');
    // The other way round too: the first call may be the one that is still under way.
    past(took('a'), took('a', 'a2'), released('a', 'a2')).when(take('b')).thenRefused('possible_duplicate');
    past(...one, released('a', 'a2'))
      .when(take('b'))
      .then(took('b'));
  });
  it('is released by each call once', () =>
    past(took('a'), took('a', 'a2'), released('a')).when(release('a')).thenNothing());
  it('is read from older logs', () => {
    past(unnamed(took('a')))
      .when(take('b'))
      .thenRefused('possible_duplicate');
    past(unnamed(took('a')))
      .when(take('b', held('a', '')))
      .then(took('b'));
    past(unnamed(took('a')), unnamed(released('a')))
      .when(take('b'))
      .then(took('b'));
  });
});
