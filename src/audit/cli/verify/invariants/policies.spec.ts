import {
  changedTo,
  optedIn,
  optedOut,
  proposed,
  released,
  reserved,
  revokedPolicy,
  settled,
  terms,
} from '../../../../capabilities/agent-payments/policy-budget.fixtures';
import { payment } from '../../../../capabilities/agent-payments/agent-payment.fixtures';
import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { policyBehindPayment, policyCaps, reservations } from './policies';
import { saidBy } from './said.fixtures';

const saidOf = (...given: readonly object[]): Promise<readonly string[]> =>
  saidBy(policyCaps, given as readonly RecordedEvent[]);

describe('what verify says of amounts reserved under a policy', () => {
  const { recipient_id: id, recipient_version_id: version } = payment;
  const agreed = { ...optedIn, data: { ...optedIn.data, payees: { [id]: version }, activations: { [id]: 1 } } };
  const said = async (recipient_activations?: number): Promise<readonly string[]> => {
    const changes = recipient_activations === undefined ? {} : { recipient_activations };
    return saidOf(proposed, agreed, reserved(changes));
  };

  it('finds a payee that was replaced since the opt-in and came back', async () => {
    expect(await said(1)).toEqual([]);
    expect(await said(3)).toEqual([`${id} had changed since the person agreed to it`]);
  });

  it('takes a reservation from before this was written down as it is', async () => {
    expect(await said()).toEqual([]);
  });

  it('finds a payment that the policy is not about', async () => {
    const { facts, payment_id } = payment;
    for (const changes of [
      { connection_id: 'con_other' },
      { merchant_id: 'mer_other' },
      { facts: { ...facts, asset: 'USDC' } },
      { facts: { ...facts, network: 'other_testnet' } },
    ] as const)
      expect(await saidOf(proposed, optedIn, reserved(changes as object))).toEqual([
        `the policy is not about payments like ${payment_id}`,
      ]);
  });

  it('finds what exceeds a limit, and nothing that reaches it exactly', async () => {
    const second = 'rsv_second' as const;
    expect(await saidOf(proposed, optedIn, reserved({ amount: '3' }))).toEqual([]);
    expect(await saidOf(proposed, optedIn, reserved(), reserved({}, second))).toEqual([]);
    expect(await saidOf(proposed, optedIn, reserved({ amount: '3.0000001' }))).toEqual([
      '3.0000001 is more than the limit of 3 for one payment',
    ]);
    expect(await saidOf(proposed, optedIn, reserved(), reserved({ amount: '2.6' }, second))).toEqual([
      '5.1 is more than the cumulative limit of 5',
    ]);
    // What was released may be reserved again, and what was paid may not.
    expect(await saidOf(proposed, optedIn, reserved(), released, reserved({ amount: '3' }, second))).toEqual([]);
    expect(await saidOf(proposed, optedIn, reserved(), settled, reserved({ amount: '3' }, second))).toEqual([
      '5.5 is more than the cumulative limit of 5',
    ]);
  });

  it('finds what nobody agreed to', async () => {
    const nobody = ['nobody had opted in'];
    expect(await saidOf(proposed, reserved())).toEqual(nobody);
    expect(await saidOf(reserved())).toEqual(nobody);
    expect(await saidOf(proposed, optedIn, optedOut, reserved())).toEqual(nobody);
    expect(await saidOf(proposed, optedIn, revokedPolicy, reserved())).toEqual(nobody);
    expect(await saidOf(proposed, optedIn, changedTo({}), reserved())).toEqual(nobody);
    const tightened = { ...optedIn, data: { ...optedIn.data, terms: { ...terms, single_tx_limit: '2' } } };
    expect(await saidOf(proposed, tightened, reserved())).toEqual(['2.50 is more than the limit of 2 for one payment']);
    expect(await saidOf(proposed, optedIn, reserved({ recipient_id: 'rcp_other' } as object))).toEqual([
      'rcp_other is not on the allowlist',
    ]);
    const other = { ...agreed, data: { ...agreed.data, payees: { [id]: 'rcv_other' } } };
    expect(await saidOf(proposed, other, reserved({ recipient_activations: 1 }))).toEqual([
      `nobody had agreed to ${version} of ${id}`,
    ]);
  });

  it('finds what was reserved outside the validity window, whose end is not part of it', async () => {
    const within = (created_at: string) => saidOf(proposed, optedIn, reserved({ created_at }));
    expect(await within(terms.valid_from)).toEqual([]);
    expect(await within(terms.valid_until)).toEqual([`the policy was not valid at ${terms.valid_until}`]);
    const before = '2028-12-31T23:59:59.999Z';
    expect(await within(before)).toEqual([`the policy was not valid at ${before}`]);
  });
});

describe('what verify says of amounts that are no longer reserved', () => {
  const ended = (type: string, position: bigint) => ({ type, data: {}, position });
  const said = async (end: object, ...given: readonly object[]): Promise<readonly string[]> => {
    const made = { type: 'AgentPaymentCreated', data: payment, position: 1n };
    // Another payment has gone the same way.
    const streams = [payment.payment_id, 'ap_other'].map((id) => `agent_payment-${id}`);
    const others = streams.flatMap((stream) =>
      [made, end].map((event) => ({ ...event, stream }) as unknown as RecordedEvent),
    );
    const events = given.map((event, index) => ({ ...event, position: BigInt(10 + index) }));
    return saidBy(reservations, events as unknown as readonly RecordedEvent[], others);
  };

  it.each(['AgentPaymentFailed', 'AgentPaymentRejected', 'AgentPaymentExpired'])(
    'finds nothing where the payment had ended with %s',
    async (type) => {
      expect(await said(ended(type, 2n), reserved(), released)).toEqual([]);
      expect(await said(ended(type, 12n), reserved(), released)).toEqual([
        `${payment.payment_id} might still be paid, but its amount was released`,
      ]);
    },
  );

  it('finds an amount that was released while its payment could still be made, or after it was', async () => {
    expect(await said(ended('AgentPaymentSigned', 2n), reserved(), released)).toEqual([
      `${payment.payment_id} might still be paid, but its amount was released`,
    ]);
    expect(await said(ended('AgentPaymentConfirmed', 2n), reserved(), released)).toEqual([
      `${payment.payment_id} was paid, but its amount was released`,
    ]);
    expect(await said(ended('AgentPaymentConfirmed', 2n), reserved(), settled)).toEqual([]);
  });

  it('looks at each policy, and at each payment', () => {
    const looked = [policyCaps, reservations, policyBehindPayment].flatMap(({ categories }) => categories);
    expect(looked).toEqual(['automation_policy', 'automation_policy', 'agent_payment']);
  });

  it('finds an amount that was settled without a payment, closed twice or is another', async () => {
    expect(await said(ended('AgentPaymentSigned', 2n), reserved(), settled)).toEqual([
      `${payment.payment_id} was not paid`,
    ]);
    const again = `${payment.amount} of ${payment.reservation_id} was no longer reserved`;
    const failed = ended('AgentPaymentFailed', 2n);
    expect(await said(failed, reserved(), released, released)).toEqual([again]);
    expect(await said(failed, released)).toEqual([again]);
    const more = { ...released, data: { ...released.data, amount: '2.6' } };
    expect(await said(failed, reserved(), more)).toEqual([`2.6 of ${payment.reservation_id} was no longer reserved`]);
  });

  it('finds an amount that was closed in the name of another payment', async () => {
    const paid = ended('AgentPaymentConfirmed', 2n);
    const elsewhere = <Event extends { data: object }>(event: Event) => ({
      ...event,
      data: { ...event.data, payment_id: 'ap_other' },
    });
    const anothers = `${payment.reservation_id} was not reserved for ap_other`;
    expect(await said(paid, reserved(), elsewhere(settled))).toEqual([anothers]);
    expect(await said(paid, reserved(), elsewhere(released))).toContain(anothers);
    // Whatever the reservation calls it: the payment that it permits is the one inside it.
    expect(await said(paid, elsewhere(reserved()), elsewhere(released))).toContain(anothers);
  });
});
