import { type Entry, entry, FIX } from './error-entry';
import { paymentErrors } from './payment-errors';
import { protocolErrors } from './protocol-errors';

/** The one list of errors: the code throws from it, GET /v1/errors serves it, and the OpenAPI document names it. */
export const errorCatalogue = {
  validation_failed: entry(
    400,
    'One or more fields are missing or wrong.',
    'Fix every entry of error.issues, then send the call again.',
    FIX,
  ),
  invalid_json: entry(
    400,
    'The body is not one JSON object in UTF-8, is nested too deeply, has too many keys, or holds a forbidden key.',
    'Send one JSON object of at most 16 levels and 1,000 keys, without __proto__, constructor or prototype as keys.',
    FIX,
  ),
  IDEMPOTENCY_KEY_MISMATCH: entry(
    400,
    'The idempotency keys in header and body differ.',
    'Send one key, or the same key in every place.',
    FIX,
  ),
  unauthenticated: entry(
    401,
    'The call carries no credential, or none of the kind this route takes.',
    'Send the credential this route asks for; /docs names it.',
    FIX,
  ),
  invalid_token: entry(
    401,
    'The credential is unknown, was rotated, or has ended.',
    'Get a new one: an agent signs an assertion, a wallet rotates its connection’s token, an operator asks for a link. Do not retry with this one.',
  ),
  token_expired: entry(
    401,
    'The token was valid and has expired.',
    'Refresh the token and repeat the call once.',
    'after_refresh',
  ),
  invalid_grant: entry(
    401,
    'The one-time link, grant or Connect Key is unknown, spent or expired.',
    'Ask for a new link with POST /v1/merchant-accounts/registrations, or the wallet’s user for a new key; each works once.',
    'start_again',
  ),
  invalid_assertion: entry(
    401,
    'The agent assertion is malformed, signed by an unknown key, meant for someone else, or expired.',
    'Sign a new assertion with the registered key for this audience.',
    FIX,
  ),
  csrf_failed: entry(
    403,
    'The X-CSRF-Token header is missing or does not belong to the session.',
    'Read the proof from GET /v1/merchant-sessions/current and send it with every change.',
  ),
  clock_skew: entry(
    403,
    'The assertion’s times are outside the allowed skew.',
    'Set your clock to details.server_time; a new token does not help.',
  ),
  insufficient_scope: entry(
    403,
    'The connection was not granted the scope this call needs.',
    'Ask the wallet user for details.required_scope in a new connection.',
  ),
  scope_not_allowed: entry(
    403,
    'A requested scope is not among the agent’s allowed scopes.',
    'Request only scopes from the agent’s allowed_scopes, or ask the merchant to allow more.',
  ),
  merchant_not_active: entry(
    403,
    'The merchant has not verified a domain yet.',
    'Verify a domain with POST /v1/merchant-domains; the first proof activates the merchant.',
  ),
  agent_not_active: entry(
    403,
    'The agent is not active, or no longer has an active credential.',
    'Ask the merchant to activate the agent and one of its credentials; repeating does not help.',
  ),
  connection_paused: entry(
    403,
    'The wallet user paused this connection.',
    'Wait until the user resumes it in the wallet; repeating does not help.',
  ),
  connection_revoked: entry(
    403,
    'The wallet user revoked this connection.',
    'Ask the user for a new Connect Key and connect again.',
  ),
  credential_revoked: entry(
    403,
    'The agent credential that this came from was revoked.',
    'Register a new credential with a new key, sign with that, and connect again.',
  ),
  credential_not_valid: entry(
    403,
    'The agent credential is not yet valid or has expired.',
    'Use one between its not_before and expires_at, or register a new one.',
  ),
  invitation_rejected: entry(403, 'The wallet user rejected the connection.', 'Ask the user for a new Connect Key.'),
  HC_NC_5_HITL_REQUIRED: entry(
    403,
    'The intent is outside what the automation policy allows an agent to do alone.',
    'Submit it again with initiator "human"; details.triggered_thresholds names what stopped it.',
  ),
  resource_not_found: entry(
    404,
    'There is nothing here that this caller may see.',
    'Check the id and the credential; the answer does not say whether it exists for others.',
  ),
  version_conflict: entry(
    409,
    'The record has changed since the version you sent.',
    'Read it again and repeat with details.current_version if it still makes sense.',
    FIX,
  ),
  ...paymentErrors,
  approval_pending: entry(
    409,
    'The wallet user has not decided yet.',
    'Ask again in a few seconds; the person decides in the wallet.',
    'later',
  ),
  already_exchanged: entry(
    409,
    'The connection token was already handed out.',
    'Use the token you received; if it is lost, connect again.',
  ),
  assertion_replayed: entry(409, 'This assertion was used before.', 'Sign a new assertion with a new jti.', FIX, false),
  agent_credential_required: entry(
    409,
    'An agent needs an active credential before it can be active.',
    'Register and activate a credential first.',
  ),
  credential_key_in_use: entry(
    409,
    'This public key already belongs to a credential.',
    'Create a new key pair for each credential.',
  ),
  domain_already_registered: entry(
    409,
    'The merchant has already registered this domain.',
    'Use the existing record; GET /v1/merchant-domains lists it.',
  ),
  policy_already_active: entry(
    409,
    'Another policy is active for this connection, network and asset.',
    'Repeat the call with replaces: details.policy_id, which ends that one for this one, or have it ended first.',
    FIX,
  ),
  domain_proof_stale: entry(
    409,
    'The domain’s proof has not been seen for 30 days.',
    'Publish the challenge again, then POST /v1/merchant-domains/{id}/verify.',
    FIX,
  ),
  limit_reached: entry(
    409,
    'The maximum number of such records has been reached.',
    'Use an existing one; details.limit is the maximum, and docs/api-decisions.md explains it.',
  ),
  phase_0_mainnet_disabled: entry(
    409,
    'Only test networks are available on this surface.',
    'Name a testnet such as stellar_testnet.',
  ),
  invitation_expired: entry(
    410,
    'The invitation or pairing session has expired.',
    'Start again with a new Connect Key or a new pairing session.',
    'start_again',
  ),
  challenge_expired: entry(
    410,
    'The challenge has expired or was used up.',
    'Register the credential or domain again for a new challenge.',
    'start_again',
  ),
  domain_proof_failed: entry(
    422,
    'The published challenge was not found.',
    'Publish details.expected, wait for DNS, then verify again.',
    FIX,
  ),
  webhook_verification_failed: entry(
    422,
    'The endpoint did not return the challenge.',
    'Answer 2xx with {"challenge": …} from the signed message, then verify again.',
    FIX,
  ),
  signature_invalid: entry(
    422,
    'The signature does not verify under the registered key.',
    'Sign the exact challenge bytes with the matching private key.',
    FIX,
  ),
  destination_not_allowed: entry(
    422,
    'The address is not a public https destination.',
    'Use an https URL whose name resolves to public addresses only.',
    FIX,
  ),
  ...protocolErrors,
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof errorCatalogue;

export const statusOf = (code: ErrorCode): number => errorCatalogue[code].status;
