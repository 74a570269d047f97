import { dateTime, type JsonSchema, list, named, object, oneOf, text } from '../../http/input/checks';

const notice = object(
  {
    code: text({ max: 80, example: 'payee_changed_since_last_payment' }),
    severity: oneOf(['info', 'warning', 'danger']),
    message: text({ max: 500 }),
    since: dateTime(),
    request_ids: list(text({ max: 160 }), 20),
    title: text({ max: 200, description: 'What the agent called that payment' }),
  },
  ['since', 'request_ids', 'title'],
);

/** For the wallet that reads one payment; absent for everyone else. */
export const reviewSchema: Readonly<Record<'review' | 'payment_uri', JsonSchema>> = {
  review: named('Review', {
    type: 'object',
    description: 'For the person who decides: facts from the log, and notices, most serious first',
    properties: {
      facts: { type: 'object', additionalProperties: true },
      notices: { type: 'array', items: named('ReviewNotice', notice.schema) },
    },
    required: ['facts', 'notices'],
  }),
  payment_uri: {
    type: ['string', 'null'],
    description: 'What another wallet can open; null where the network has no published scheme',
  },
};

/** A payment as its wallet sees it. */
export const withReview = (payment: JsonSchema): JsonSchema => ({
  ...payment,
  title: `Reviewed${String(payment['title'])}`,
  properties: { ...(payment['properties'] as object), ...reviewSchema },
});
