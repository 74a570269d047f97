import { Injectable } from '@nestjs/common';

/** How much is sent at once, and how long is waited for an answer. In one place, so that a test can be in more of a hurry. */
@Injectable()
export class DeliveryLimits {
  /** For one attempt: lookup, connection and the answer to its last byte. */
  attemptMs = 15_000;
  perEndpoint = 8;
  /** An endpoint that fails holds connections until they time out, so it gets fewer. */
  perFailingEndpoint = 2;
  /** Of these, endpoints that fail never take more than half. */
  overall = 256;
}
