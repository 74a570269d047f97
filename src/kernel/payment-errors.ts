import { entry, FIX } from './error-entry';

/** The part of the catalogue about payments, their names and their statuses. */
export const paymentErrors = {
  IDEMPOTENCY_KEY_REUSED: entry(
    409,
    'This idempotency key was already used with another intent.',
    'Use a new key for a new intent; to repeat, send exactly what was sent first.',
    'no',
    false,
  ),
  possible_duplicate: entry(
    409,
    'The connection has requested the same amount for the same recipient within 24 hours, and the call refuses duplicates. Nothing was created.',
    'Check error.details.duplicates. If one of them is the payment you mean, continue with it; otherwise send the call without if_duplicate.',
    'no',
  ),
  request_id_unavailable: entry(
    409,
    'The request id is already in use within this merchant.',
    'Choose another request id, or leave it out.',
    FIX,
    false,
  ),
  ambiguous_request_id: entry(
    409,
    'This wallet holds requests with that id from several merchants.',
    'Name the one you mean with connection_id; details.connection_ids lists the connections.',
    FIX,
  ),
  invalid_status_transition: entry(
    409,
    'The status cannot follow the current one.',
    'Report what may follow details.current_status; final states do not change.',
  ),
  request_expired: entry(
    409,
    'The request expired before this report.',
    'Create a new request; the report itself was recorded.',
  ),
  recipient_version_not_active: entry(
    409,
    'The recipient version is not the active, verified one.',
    'Use details.active_version_id, the recipient’s active version; null means that it has none.',
    FIX,
  ),
  network_not_enabled: entry(
    409,
    'This network is not enabled on this service.',
    'Use an enabled network such as stellar_testnet.',
  ),
  transaction_not_reported: entry(
    409,
    'No wallet has reported a transaction for this payment, so there is nothing to look up.',
    'Wait for payment_request.broadcasted, then ask again.',
    'later',
  ),
  settlement_not_witnessed: entry(
    409,
    'This service does not check settlements on that network.',
    'Check the transaction on the network yourself, or ask the operator to set SETTLEMENT_WITNESS.',
  ),
} as const;
