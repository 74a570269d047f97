import { type WebhookTest } from '../../../sdk/src/types/webhook.ts';

/** The result of a test message, in a sentence. */
export function testWords({ status_code: status, duration_ms: duration, error_kind: kind }: WebhookTest): string {
  if (status !== null) return `The receiver answered ${status} after ${duration} ms.`;
  return `The receiver did not answer: ${(kind ?? 'unknown').replaceAll('_', ' ')}, after ${duration} ms.`;
}
