import { Inject, Injectable } from '@nestjs/common';
import { type ApiKeyCaller } from '../../http/server/callers';
import { assertScope, ConnectionStandings } from '../../access/connection-standing';
import { provenDomains } from '../../access/proven-domains';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { withoutRepeats } from '../../http/input/stray-payees';
import { defaultExpiry } from '../../kernel/request-lifetime';
import { CommandRunner } from '../../platform/event-store/run-command';
import { isOnMainNetwork, payableRecipient, type PinnedVersion } from '../payments/payable-recipient';
import { refusalFor } from '../payments/refusal-for';
import { type AgentPaymentCreated } from '../../events/agent-payment.events';
import { judge, type IntentFacts } from './judge';
import { policyBudget } from './policy-budget';
import { type Intent, intentDigest, type Submission } from './submission';
import { isIdIn, type MerchantId, type PaymentId } from '../../kernel/aggregates';

export type Draft = AgentPaymentCreated['data'];

/** Turns a submission into a draft if it can be made at all; whether a policy permits it is a separate question. */
@Injectable()
export class IntentDrafts {
  constructor(
    private readonly commands: CommandRunner,
    private readonly connections: ConnectionStandings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async of(submission: Submission, caller: ApiKeyCaller, paymentId: PaymentId): Promise<Draft> {
    const { issues, sound, intent, idempotencyKey: key } = submission;
    const now = this.clock.now();
    const around = await this.factsFor(sound, caller.merchantId);
    // A recipient on a mainnet implies that network, whatever else the call says.
    const isOwn = around.recipient?.merchantId === caller.merchantId;
    if (isOwn && isOnMainNetwork(around.recipient)) throw refuse('phase_0_mainnet_disabled', { field: 'recipient_id' });
    const verdict = judge(sound, around, now);
    const problems = withoutRepeats([...issues, ...verdict.issues]);
    const { connection } = around;
    if (problems.length > 0 || !intent || !verdict.pinned || !connection) throw refusalFor(problems);
    if (connection.refusal !== undefined) throw refuse(connection.refusal);
    // A scope the person did not grant to the agent is not available through the merchant's API either.
    assertScope(connection.scopes, 'payment.requests.create');
    return {
      ...draftOf(intent, verdict.pinned, around.proven, now),
      payment_id: paymentId,
      merchant_id: caller.merchantId,
      api_key_id: caller.apiKeyId,
      device_id: connection.agreed.device_id,
      agent_id: connection.agreed.agent_id,
      idempotency_key: key ?? null,
      intent_digest: intentDigest(intent),
    };
  }

  private async factsFor(
    sound: Partial<Intent>,
    merchantId: MerchantId,
  ): Promise<IntentFacts & Readonly<{ proven: ReadonlyMap<string, unknown> }>> {
    const { recipient_id: recipientId = '', connection_id: connectionId, policy_id: policyId = '' } = sound;
    const [recipient, connection, policy, proven] = await Promise.all([
      isIdIn('recipient', recipientId) ? this.commands.fold(payableRecipient, recipientId) : undefined,
      this.connections.of(connectionId, merchantId),
      isIdIn('automation_policy', policyId) ? this.commands.fold(policyBudget, policyId) : undefined,
      this.commands.fold(provenDomains, merchantId),
    ]);
    const around = { merchantId, recipient: recipient?.state ?? null, connection, policy: policy?.state ?? null };
    return { ...around, proven: proven.state };
  }
}

const draftOf = (
  intent: Intent,
  { versionId, name, domain, domainId, facts, activations }: PinnedVersion,
  proven: ReadonlyMap<string, unknown>,
  now: Date,
) => ({
  connection_id: intent.connection_id,
  initiator: intent.initiator,
  policy_id: null,
  reservation_id: null,
  recipient_id: intent.recipient_id,
  recipient_version_id: versionId,
  recipient_activations: activations,
  payee: { name, verified: proven.has(domainId), domain },
  facts,
  amount: intent.amount,
  metadata: intent.metadata ?? null,
  created_at: timestamp(now),
  expires_at: intent.expires_at ?? defaultExpiry(now),
});
