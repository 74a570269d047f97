import { type AgentPayment } from '../../../sdk/src/types/agent-payment.ts';

/** Who decides, in words. */
export const INITIATORS: Readonly<Record<AgentPayment['initiator'], string>> = {
  agent: 'Agent, within a policy',
  human: 'Person',
};
