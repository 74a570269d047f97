import { Injectable } from '../../platform/injection';

/**
 * How many messages are in flight, and how long to wait for a response. In one place, so that tests can shorten it.
 * SendWindow decides how much of it one endpoint gets.
 */
@Injectable()
export class DeliveryLimits {
  /** For one attempt: lookup, connection and the response to its last byte. */
  attemptMs = 15_000;
  /** Over all endpoints; failing endpoints never take more than half of it. */
  overall = 256;
}
