import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { type Row } from './row';
import { type World } from './world';

/** The newest checkpoint against itself: the point here is who may ask, not what is proven. */
const aCheckpoint = async ({ service }: World) => {
  const { body } = await eventually(
    () => call(`${service.url}/v1/audit/checkpoints?limit=1`),
    (answer) => answer.body.checkpoints.length > 0,
    'a checkpoint',
  );
  const size = String(body.checkpoints[0].tree_size);
  return { query: { from: size, to: size } };
};

/** What auditors read. Keys and checkpoints are public: a proof is worth nothing if its key is not known. */
export const auditRows: Readonly<Record<string, Row>> = {
  'GET /v1/audit/keys': { wall: 'open', own: 200 },
  'GET /v1/audit/checkpoints': { wall: 'open', own: 200 },
  'GET /v1/audit/consistency': { wall: 'open', own: 200, parts: aCheckpoint },
  'GET /v1/audit/events': { wall: 'merchant', own: 200 },
  'GET /v1/payment-requests/{id}/proof': {
    wall: 'party',
    own: 200,
    scope: 'payment.requests.read',
    parts: ({ us }) => ({ path: { id: us.requestId }, query: {} }),
    references: {
      connection_id: {
        prefix: 'con',
        theirs: ({ connection }) => connection.connectionId,
        outcome: 'resource_not_found',
      },
    },
  },
  'GET /v1/payment-requests/{id}/timeline': {
    wall: 'party',
    own: 200,
    scope: 'payment.requests.read',
    parts: ({ us }) => ({ path: { id: us.requestId }, query: {} }),
    references: {
      connection_id: {
        prefix: 'con',
        theirs: ({ connection }) => connection.connectionId,
        outcome: 'resource_not_found',
      },
    },
  },
};
