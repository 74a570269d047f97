import { Injectable } from '../../platform/injection';

/**
 * How much is sent at once, and how long is waited for an answer. In one place, so that a test can be in more of a hurry. How
 * much of it one endpoint gets says its SendWindow.
 */
@Injectable()
export class DeliveryLimits {
  /** For one attempt: lookup, connection and the answer to its last byte. */
  attemptMs = 15_000;
  /** To all endpoints; of these, endpoints that fail never take more than half. */
  overall = 256;
}
