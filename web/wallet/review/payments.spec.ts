import { type AgentPayment } from '../../../sdk/src/types/agent-payment.ts';
import { type PaymentRequest } from '../../../sdk/src/types/payment.ts';
import { fromAgentPayment, fromRequest, inOrder, isByPolicy, type Payment, placeOf } from './payments';

const payment = (id: string, status: Payment['status'], createdAt: string, expiresAt: string): Payment =>
  ({ id, status, createdAt, expiresAt }) as Payment;

describe('the payments of a wallet', () => {
  it('that wait come first, the soonest to expire at the top; then the newest', () => {
    const payments = [
      payment('old', 'confirmed', '2030-01-01T01:00:00.000Z', '2030-01-01T09:00:00.000Z'),
      payment('later', 'pending', '2030-01-01T02:00:00.000Z', '2030-01-01T08:00:00.000Z'),
      payment('new', 'rejected', '2030-01-01T05:00:00.000Z', '2030-01-01T05:30:00.000Z'),
      payment('soon', 'pending', '2030-01-01T03:00:00.000Z', '2030-01-01T07:00:00.000Z'),
    ];
    expect(inOrder(payments).map(({ id }) => id)).toEqual(['soon', 'later', 'new', 'old']);
  });

  it('are made by policy only if an agent decided', () => {
    const of = (kind: Payment['kind'], initiator: Payment['initiator']) => isByPolicy({ kind, initiator } as Payment);
    expect(of('agent_payment', 'agent')).toBe(true);
    expect(of('agent_payment', 'human')).toBe(false);
    expect(of('request', 'human')).toBe(false);
  });

  it('are found where their connection says, whatever their id is', () => {
    const place = { id: 'a/b?c', connectionId: 'con_1' };
    expect(placeOf({ ...place, kind: 'request' })).toBe('/requests/a%2Fb%3Fc?connection=con_1');
    expect(placeOf({ ...place, kind: 'agent_payment' })).toBe('/agent-payments/a%2Fb%3Fc?connection=con_1');
  });

  it('are named by what their connection was opened with, never by the names in an agent payment', () => {
    const names = { agent_name: 'Till', merchant_name: 'Shop' };
    const request = fromRequest({ source: names, status: 'pending' } as unknown as PaymentRequest);
    expect(request).toMatchObject({ kind: 'request', agentName: 'Till', merchantName: 'Shop', status: 'pending' });
    const asked = { source: names, status: 'intent_created', initiator: 'agent', policy_id: 'pol_1' };
    const paid = fromAgentPayment(asked as unknown as AgentPayment);
    expect(paid).toMatchObject({ kind: 'agent_payment', status: 'pending', initiator: 'agent', policyId: 'pol_1' });
    expect([paid.agentName, paid.merchantName]).toEqual([undefined, undefined]);
  });
});
