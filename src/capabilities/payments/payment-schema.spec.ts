import { agentPaymentSchema } from '../agent-payments/agent-payment.schema';
import { paymentRequestSchema } from '../payment-requests/payment-request.schema';

describe('what the schemas say of a payment', () => {
  it.each([
    ['payment request', paymentRequestSchema],
    ['agent payment', agentPaymentSchema],
  ])('does not take confirmed in a %s for money', (_, schema) => {
    const { status } = schema['properties'] as { status: { description?: string } };
    expect(status.description).toContain('confirmed is its claim');
  });
});
