import { dateTime, integer, type JsonSchema, list, named, object, oneOf, text } from '../http/input/checks';
import { Field } from '../http/input/field.decorator';
import { wholeNumber } from '../http/input/whole-number';

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
const MAX_ENDORSEMENTS = 200;

export class ConsistencyInput {
  @Field(wholeNumber(1, MAX_INTEGER, 'The tree_size of the older checkpoint'))
  from!: string;

  @Field(wholeNumber(1, MAX_INTEGER, 'The tree_size of the newer checkpoint'))
  to!: string;
}

const hex = (length: number) => text({ min: length, max: length, pattern: /^[0-9a-f]+$/, form: 'lower-case hex' });
const free: JsonSchema = { type: 'object', additionalProperties: true };

const checkpoint = object({
  origin: text({ max: 400, description: 'The address of the service that signed' }),
  tree_size: integer(1, MAX_INTEGER, 'How many events of the log it covers'),
  root: hex(64),
  time: dateTime(),
  key_id: hex(32),
  signature: hex(128),
});
export const checkpointSchema: JsonSchema = named('Checkpoint', checkpoint.schema);

const publicKey = object({ key_id: hex(32), public_key: hex(64) });

const endorsements: JsonSchema = {
  ...list(
    object({
      key_id: hex(32),
      public_key: hex(64),
      by_key_id: hex(32),
      by_public_key: hex(64),
      signature: hex(128),
    }),
    MAX_ENDORSEMENTS,
  ).schema,
  description:
    'At each rotation the previous key endorses the next: whoever trusts an older key can follow them to these',
};

export const keySchema: JsonSchema = named(
  'AuditKey',
  object({
    key_id: hex(32),
    alg: oneOf(['Ed25519']),
    public_key: hex(64),
    status: oneOf(['current', 'retired'], 'Retired keys stay listed, so that what they signed can still be verified'),
    published_at: dateTime(),
  }).schema,
);

/** As in the log, but without the members that this caller may not see; their digests are under `veiled`. */
const eventSchema: JsonSchema = {
  type: 'object',
  properties: {
    stream: { type: 'string' },
    version: { type: 'integer', minimum: 1 },
    type: { type: 'string' },
    data: free,
    metadata: free,
    veiled: { type: 'object', additionalProperties: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
  },
  required: ['stream', 'version', 'type', 'data', 'metadata', 'veiled'],
};

export const auditEventSchema: JsonSchema = named('AuditEvent', {
  type: 'object',
  properties: {
    cursor: { type: 'integer', minimum: 1 },
    leaf_index: { type: 'integer', minimum: 0 },
    event: eventSchema,
  },
  required: ['cursor', 'leaf_index', 'event'],
});

const hashes = list(hex(64), 64).schema;

export const consistencySchema: JsonSchema = named('ConsistencyProof', {
  type: 'object',
  properties: {
    format: { const: 'svc.consistency.v1' },
    from: checkpoint.schema,
    to: checkpoint.schema,
    keys: list(publicKey, 2).schema,
    endorsements,
    proof: hashes,
  },
  required: ['format', 'from', 'to', 'keys', 'proof'],
});

export const proofSchema: JsonSchema = named('PaymentProof', {
  type: 'object',
  properties: {
    format: { const: 'svc.proof.v1' },
    request_id: { type: 'string' },
    checkpoint: checkpoint.schema,
    keys: list(publicKey, 2).schema,
    endorsements,
    events: {
      type: 'array',
      items: {
        type: 'object',
        properties: { leaf_index: { type: 'integer', minimum: 0 }, event: eventSchema, inclusion: hashes },
        required: ['leaf_index', 'event', 'inclusion'],
      },
    },
    extent: {
      ...object({
        stream: text({ max: 200 }),
        version: integer(0, Number.MAX_SAFE_INTEGER, 'How many events of the request the checkpoint covers'),
        withheld: list(integer(1, Number.MAX_SAFE_INTEGER), 100_000),
        leaves: list(integer(0, Number.MAX_SAFE_INTEGER), 100_000),
        key_id: hex(32),
        signature: hex(128),
      }).schema,
      description: 'A signed statement of what belongs to this proof, which reveals removed or added events',
    },
    pending: { type: 'integer', minimum: 0, description: 'Events too new for the checkpoint; ask again in a minute' },
  },
  required: ['format', 'request_id', 'checkpoint', 'keys', 'events', 'extent', 'pending'],
});
