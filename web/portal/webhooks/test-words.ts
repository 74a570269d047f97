import { type WebhookTest } from '../../../sdk/src/merchant/webhooks.ts';

/** What came of a test message, in a sentence. */
export function testWords(answer: WebhookTest): string {
  const test = (answer['test'] ?? answer['webhook_delivery'] ?? answer['attempt'] ?? answer) as Readonly<
    Record<string, unknown>
  >;
  const status = test['status_code'];
  const duration = test['duration_ms'];
  if (typeof status === 'number')
    return `The receiver answered ${status}${typeof duration === 'number' ? ` after ${duration} ms` : ''}.`;
  const kind = test['error_kind'];
  return typeof kind === 'string'
    ? `The receiver did not answer: ${kind.replaceAll('_', ' ')}.`
    : 'The test message is on its way.';
}
