import { readResource, resourceTemplates } from '../mcp/src/resources';
import { failureOf } from '../mcp/src/tool-errors';
import { nextOf } from '../mcp/src/tools/asking';
import { ofAgentPayment, ofRequest, type Payment } from '../mcp/src/tools/payment';
import { SvcError } from '../sdk/src/index';

const refusal = (code: string, issues: readonly { code: string; field: string; message: string }[] = []) =>
  failureOf(
    new SvcError({ code, status: 403, message: 'Submit it again with initiator "human".', requestId: 'req_1', issues }),
    new Map(),
  );

const agentPayment = (made: object): Payment => ofAgentPayment(made as never);

describe('what the MCP server tells a model', () => {
  it('names its tools, not calls of the API that a model cannot make', () => {
    const message = 'does not name one of your recipients; GET /v1/recipients lists them';
    const [issue] =
      refusal('validation_failed', [{ code: 'resource_not_found', field: 'recipient_id', message }]).issues ?? [];
    expect(issue).toMatchObject({
      field: 'payee_id',
      message: 'does not name one of your payees; list_payees lists them',
    });
  });

  it('says of a refused policy what a model can do, and names no argument it does not have', () => {
    const { message, what_to_do } = refusal('HC_NC_5_HITL_REQUIRED');
    expect(message).not.toContain('initiator');
    expect([message, what_to_do]).toEqual([
      expect.stringContaining('automation policies'),
      expect.stringMatching(/request_payment with the same payee_id, amount and order_reference/),
    ]);
  });

  it.each(['expired', 'failed', 'rejected'] as const)(
    'says of an order that %s that its order_reference is used up',
    (status) => {
      const shown = { is_final: true, status } as Payment['shown'];
      const next = nextOf({ shown, waitsFor: 'the person', payeeId: 'rcp_1', policyId: null });
      expect(next).toMatch(/this order_reference always returns this payment.*new order_reference/i);
      const paid = { is_final: true, status: 'confirmed' } as Payment['shown'];
      expect(nextOf({ shown: paid, waitsFor: 'the person', payeeId: 'rcp_1', policyId: null })).not.toContain(
        'new order_reference',
      );
    },
  );

  it('says of a payment under a policy that the wallet may need the person to sign: the one of this service does', () => {
    const made = { status: 'intent_created', initiator: 'agent', is_final: false, payee: { name: 'Shop' } };
    const payment = agentPayment(made);
    for (const said of [payment.shown.meaning, nextOf(payment)]) expect(said).toMatch(/may ask the person to sign/);
  });

  it.each(['signed', 'broadcasted'])('asks nobody to approve what is %s already', (status) => {
    const own = { status, is_final: false, payee: { name: 'Shop' }, payment: { amount: '9' } };
    const payments = [
      ofRequest(own as never),
      ...['agent', 'human'].map((by) => agentPayment({ ...own, initiator: by })),
    ];
    for (const payment of payments) {
      expect(payment.waitsFor).toBe('the wallet');
      expect(nextOf(payment)).toMatch(/^The wallet has signed it/);
    }
  });

  it('has timelines of payment requests, and says where to look for a payment under a policy', async () => {
    const unknown = new SvcError({ code: 'resource_not_found', status: 404, message: '', requestId: 'req_1' });
    const wallet = { connected: async () => ({ readTimeline: () => Promise.reject(unknown) }) };
    const read = readResource('svc://payment-requests/ap_01ABC/timeline', wallet as never, undefined as never);
    await expect(read).rejects.toThrow(/payment requests \(pr_…\) have a timeline.*get_payment/);
    expect(resourceTemplates[0].description).toContain('payment request');
  });
});
