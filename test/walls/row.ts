import { type ErrorCode } from '../../src/kernel/error-catalogue';
import { type IdPrefix } from '../../src/kernel/ids';
import { type Family, type Transport } from './credentials';
import { type Tenant } from './tenant';
import { type World } from './world';

export type Outcome = 200 | 201 | 202 | ErrorCode;

/** What a call needs besides its credential. */
export type Parts = Readonly<{
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
}>;

/** An input field that holds an id: the outcome if it is a stranger's, which must equal that for an unknown id. */
export type Reference = Readonly<{
  theirs: (them: Tenant) => string;
  prefix: IdPrefix;
  outcome: Outcome;
  /** The field holds a list of ids. */
  list?: true;
  /** What else the body must contain for the field to count. */
  along?: Readonly<Record<string, unknown>>;
}>;

export type WrongBody = Readonly<{ name: string; body: Readonly<Record<string, unknown>>; outcome: Outcome }>;

export type Row = Readonly<{
  wall: WallName;
  /** The outcome for the owner. */
  own: Outcome;
  /** For others that the wall lets through; by default `resource_not_found` if the path has an id, otherwise `own`. */
  stranger?: Outcome | Partial<Record<Family, Outcome>>;
  sibling?: Outcome | Partial<Record<Family, Outcome>>;
  scope?: string;
  /** For a device token that was just rotated, where that is not simply invalid. */
  rotated?: ErrorCode;
  /** Everything for a successful call, created again each time. */
  parts?: (world: World) => Parts | Promise<Parts>;
  /** Body or query fields that hold an id of ours; `free` if the caller chooses the id. */
  references?: Readonly<Record<string, Reference | 'free'>>;
  /** For bodies that hold a credential: every way in which it can be wrong. */
  wrongBodies?: (world: World) => Promise<readonly WrongBody[]>;
  /** For calls that end their own credential: one to use up, with its parts. */
  holder?: (world: World) => Promise<Readonly<{ headers: Readonly<Record<string, string>>; parts: Parts }>>;
}>;

type Wall = Readonly<{
  /** The names that the OpenAPI document must use. */
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

/** The credentials each wall accepts and checks: a wrong one of its kind is invalid, another kind counts as none. */
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
  anyParty: {
    schemes: ['device', 'session', 'session_token', 'connection'],
    families: ['connection', 'device', 'session'],
    transports: ['bearer', 'cookie', ...DEVICE],
  },
  connectionOrMerchant: {
    schemes: ['connection', 'session', 'session_token'],
    families: ['connection', 'session'],
    transports: ['bearer', 'cookie'],
  },
  deviceOrMerchant: {
    schemes: ['device', 'session', 'session_token'],
    families: ['device', 'session'],
    transports: ['bearer', 'cookie', ...DEVICE],
  },
  apiKey: { schemes: ['api_key'], families: ['key'], transports: ['key'] },
  apiKeyOrAdmin: {
    schemes: ['api_key', 'session', 'session_token'],
    families: ['key', 'session'],
    transports: ['key', 'bearer', 'cookie'],
  },
  project: {
    schemes: ['api_key', 'session', 'session_token', 'device'],
    families: ['key', 'session', 'device'],
    transports: ['key', 'bearer', 'cookie', ...DEVICE],
  },
} as const satisfies Record<string, Wall>;

export type WallName = keyof typeof walls;
