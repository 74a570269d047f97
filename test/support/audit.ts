import { type PaymentProof } from '../../src/audit/proofs';
import { type Answer, call } from './http';
import { type TestService } from './service';
import { eventually } from './eventually';

type Service = Pick<TestService, 'url'>;
type By = Readonly<{ headers: Readonly<Record<string, string>> }>;

export const proofOf = ({ url }: Service, { headers }: By, requestId: string): Promise<Answer> =>
  call(`${url}/v1/payment-requests/${requestId}/proof`, { headers });

/**
 * A proof that covers everything that was there before the call. An instance that has stood still has lost its lease for
 * a moment, and answers with what was signed before.
 */
export async function wholeProofOf(service: Service, by: By, requestId: string): Promise<PaymentProof> {
  const { body } = await eventually(
    () => proofOf(service, by, requestId),
    (answer) => answer.status === 200 && answer.body['proof'].pending === 0,
    'a proof of everything',
  );
  return body['proof'] as PaymentProof;
}

export const auditEvents = ({ url }: Service, { headers }: By, query = ''): Promise<Answer> =>
  call(`${url}/v1/audit/events${query}`, { headers });

/** Every event the merchant may see, once they include one of this type, or this many. */
export async function allAuditEvents(service: Service, by: By, until: string | number): Promise<any[]> {
  const isThere = (events: readonly any[]): boolean =>
    typeof until === 'number' ? events.length >= until : events.some(({ event }) => event.type === until);
  const { body } = await eventually(
    () => auditEvents(service, by, '?limit=200'),
    (answer) => isThere(answer.body['events'] as any[]),
    `${until} among the audit events`,
  );
  return body['events'] as any[];
}
