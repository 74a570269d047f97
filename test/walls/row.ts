import { type ErrorCode } from '../../src/kernel/error-catalogue';
import { type IdPrefix } from '../../src/kernel/ids';
import { type Family, type Transport } from './credentials';
import { type Tenant } from './tenant';
import { type World } from './world';

export type Outcome = 200 | 201 | 202 | ErrorCode;

/** What a call needs beside its credential. */
export type Parts = Readonly<{
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
}>;

/** A field of the input that names something: what is answered when it is a stranger's, exactly as when it is nobody's. */
export type Reference = Readonly<{
  theirs: (them: Tenant) => string;
  prefix: IdPrefix;
  outcome: Outcome;
  /** The field holds a list of them. */
  list?: true;
  /** What else the body must say for the field to count. */
  along?: Readonly<Record<string, unknown>>;
}>;

export type WrongBody = Readonly<{ name: string; body: Readonly<Record<string, unknown>>; outcome: Outcome }>;

export type Row = Readonly<{
  wall: WallName;
  /** The answer to whoever it belongs to. */
  own: Outcome;
  /** To others whom the wall lets through; `resource_not_found` where the path names something, otherwise as `own`. */
  stranger?: Outcome | Partial<Record<Family, Outcome>>;
  sibling?: Outcome | Partial<Record<Family, Outcome>>;
  scope?: string;
  /** To a device token that was rotated a moment ago, where that is not just invalid. */
  rotated?: ErrorCode;
  /** Everything for a call that succeeds, made anew each time. */
  parts?: (world: World) => Parts | Promise<Parts>;
  /** Fields of body or query that name something of ours; `free` where the caller chooses the name. */
  references?: Readonly<Record<string, Reference | 'free'>>;
  /** Where the body holds a credential of its own: every way in which that can be wrong. */
  wrongBodies?: (world: World) => Promise<readonly WrongBody[]>;
  /** For calls that end the credential they are made with: one to spend, with the parts that go with it. */
  holder?: (world: World) => Promise<Readonly<{ headers: Readonly<Record<string, string>>; parts: Parts }>>;
}>;

type Wall = Readonly<{
  /** As the OpenAPI document must name them. */
  schemes: readonly string[];
  families: readonly Family[];
  transports: readonly Transport[];
}>;

const SESSION = {
  schemes: ['session', 'session_token'],
  families: ['session'],
  transports: ['bearer', 'cookie'],
} as const;
const DEVICE = ['device', 'fields'] as const;

/** Each says which credentials it takes, and which it looks at: a wrong one of its kind is invalid, one of another kind is none. */
export const walls = {
  open: { schemes: [], families: [], transports: [] },
  metrics: { schemes: [], families: ['metrics'], transports: ['bearer'] },
  device: { schemes: ['device'], families: ['device'], transports: DEVICE },
  session: SESSION,
  merchant: SESSION,
  admin: SESSION,
  adminOrDevice: {
    schemes: ['session', 'session_token', 'device'],
    families: ['session', 'device'],
    transports: ['bearer', 'cookie', ...DEVICE],
  },
  agent: { schemes: ['agent'], families: ['agent'], transports: ['bearer'] },
  agentOrDevice: { schemes: ['agent', 'device'], families: ['agent', 'device'], transports: ['bearer', ...DEVICE] },
  claim: { schemes: ['claim'], families: ['claim'], transports: ['bearer'] },
  claimOrDevice: { schemes: ['claim', 'device'], families: ['claim', 'device'], transports: ['bearer', ...DEVICE] },
  connection: { schemes: ['connection'], families: ['connection'], transports: ['bearer'] },
  party: {
    schemes: ['connection', 'device', 'session', 'session_token'],
    families: ['connection', 'device', 'session'],
    transports: ['bearer', 'cookie', ...DEVICE],
  },
  deviceOrMerchant: {
    schemes: ['device', 'session', 'session_token'],
    families: ['device', 'session'],
    transports: ['bearer', 'cookie', ...DEVICE],
  },
  apiKey: { schemes: ['api_key'], families: ['key'], transports: ['key'] },
  project: {
    schemes: ['api_key', 'session', 'session_token', 'device'],
    families: ['key', 'session', 'device'],
    transports: ['key', 'bearer', 'cookie', ...DEVICE],
  },
} as const satisfies Record<string, Wall>;

export type WallName = keyof typeof walls;
