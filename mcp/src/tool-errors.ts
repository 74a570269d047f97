import { SvcConnectionError, SvcError } from '../../sdk/src/index.ts';

/** Something a model can act on: what happened, what to do about it, and whether the call may be repeated. */
export type ToolFailure = Readonly<{
  code: string;
  message: string;
  what_to_do: string;
  /** True if repeating the very same call can neither pay twice nor do harm. */
  safe_to_repeat: boolean;
  issues?: readonly Readonly<{ code: string; field: string; message: string }>[];
  details?: Readonly<Record<string, unknown>>;
}>;

export class ToolError extends Error {
  constructor(readonly failure: ToolFailure) {
    super(failure.message);
    this.name = 'ToolError';
  }
}

export type CatalogueEntry = Readonly<{ code: string; recovery: string; same_key: boolean }>;

/** For the codes a model meets most often, in terms of this server's tools. */
const ADVICE: Readonly<Record<string, string>> = {
  possible_duplicate:
    'Look at the payment in details.duplicates with get_payment; one that it does not find was made before the wallet was connected again, and its status is in that list. If it is the one you meant, continue with it: this call created nothing, and repeating it changes nothing. ' +
    'Otherwise ask the person whether this is a second order; only if they say so, call request_payment with the same payee_id, amount and order_reference and allow_duplicate: true.',
  IDEMPOTENCY_KEY_REUSED:
    'This order_reference already belongs to another payment. Look at it with find_payment. If that finds nothing, call request_payment with the same order_reference; ' +
    'use a new order_reference only for an order that is really new.',
  recipient_version_not_active: 'Call list_payees again: the payee’s details have changed.',
  HC_NC_5_HITL_REQUIRED:
    'The person has to approve this payment. Use request_payment with the same payee_id, amount and order_reference, which asks them.',
  connection_paused:
    'The person has paused the connection in their wallet. Ask them to resume it; do not repeat until they have.',
  connection_revoked:
    'The person has ended the connection. Ask them whether to connect again, then call connect_wallet.',
  invalid_token: 'The connection no longer works. Ask the person whether to connect again, then call connect_wallet.',
  insufficient_scope:
    'The person did not grant this. Ask them whether to connect again with that scope, then call connect_wallet.',
  approval_pending: 'The person has not decided yet. Ask them to check their wallet, then call connection_status.',
  invitation_rejected: 'The person said no. Do not ask again unless they want you to.',
  invitation_expired: 'It took too long. Call connect_wallet again when the person is ready.',
  invalid_grant: 'This Connect Key is unknown, used or too old. Ask the person for a new one.',
  resource_not_found:
    'Nothing with this id belongs to your connection. Check the id with list_payments or list_payees.',
};

/** For codes where the service's own message is about something the model never wrote. */
const MESSAGES: Readonly<Record<string, string>> = {
  possible_duplicate:
    'A payment of the same amount to the same payee was made or requested within the last 24 hours. This call created nothing.',
  HC_NC_5_HITL_REQUIRED:
    'This payment is outside what the person’s automation policies allow without approval; details.triggered_thresholds names the limits. This call created nothing.',
};

/** Maps fields of the API to the tool arguments they come from. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'display.description': 'description',
  'metadata.description': 'description',
  'payment.amount': 'amount',
  recipient_id: 'payee_id',
  recipient_version_id: 'payee_id',
  idempotency_key: 'order_reference',
  'x-idempotency-key': 'order_reference',
  requested_scopes: 'scopes',
};
const API_FIELD = new RegExp(
  `(?<![\\w.-])(${Object.keys(ARGUMENTS)
    .map((name) => name.replaceAll('.', '\\.'))
    .join('|')})(?![\\w-]|\\.\\w)`,
  'gi',
);
/** Replaces advice that names API calls, which a model does not make. */
const REWORDED_ADVICE: readonly (readonly [said: string, instead: string])[] = [
  ['one of your recipients; GET /v1/recipients lists them', 'one of your payees; list_payees lists them'],
  ['a recipient of your merchant; ask the merchant for its id', 'a payee of this connection; list_payees lists them'],
];

function withToolArguments(said: string): string {
  const reworded = REWORDED_ADVICE.reduce((text, [call, instead]) => text.replace(call, instead), said);
  return reworded.replace(API_FIELD, (name) => ARGUMENTS[name.toLowerCase()] ?? name);
}

/** Any error, as a model should read it. `catalogue` is the service's own error catalogue, if it could be fetched. */
export function failureOf(error: unknown, catalogue: ReadonlyMap<string, CatalogueEntry>): ToolFailure {
  if (error instanceof ToolError) return error.failure;
  const isUnreadable = error instanceof SvcError && error.code === 'unreadable_answer';
  // A proxy’s page, or a 5xx of the service: the call may have taken effect nevertheless.
  const isUnknown = error instanceof SvcError && error.status >= 500 && !catalogue.has(error.code);
  if (error instanceof SvcConnectionError || isUnreadable || isUnknown) {
    return {
      code: 'service_unreachable',
      message: 'The payment service did not answer, so whether the call had an effect is unknown.',
      what_to_do:
        'Call the same tool again with exactly the same arguments; the same order_reference never makes a second payment. find_payment shows whether the payment exists.',
      safe_to_repeat: true,
    };
  }
  if (error instanceof SvcError) {
    const entry = catalogue.get(error.code);
    const { code, issues, details } = error;
    return {
      code,
      message: MESSAGES[code] ?? withToolArguments(error.message),
      what_to_do: ADVICE[code] ?? entry?.recovery ?? 'Do not repeat it; tell the person what the message says.',
      safe_to_repeat: entry?.same_key ?? false,
      ...(issues.length > 0 ? { issues: issues.map(asArgument) } : {}),
      ...(Object.keys(details).length > 0 ? { details } : {}),
    };
  }
  // The client library refused to send it.
  if (error instanceof TypeError && /^(an id|the idempotency key) /.test(error.message)) {
    return {
      code: 'validation_failed',
      message: withToolArguments(error.message.replace('the idempotency key', 'order_reference')),
      what_to_do: 'Correct the argument and call the tool again. Nothing was done.',
      safe_to_repeat: false,
    };
  }
  // Reveal nothing about the cause: it may hold what a model must not see.
  return {
    code: 'internal_error',
    message: 'The tool failed unexpectedly.',
    what_to_do: 'Call it once more with the same arguments; if it fails again, tell the person.',
    safe_to_repeat: true,
  };
}

const asArgument = ({ code, field, message }: Readonly<{ code: string; field: string; message: string }>) => ({
  code,
  field: withToolArguments(field),
  message: withToolArguments(message),
});
