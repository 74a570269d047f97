import { sha256 } from '@noble/hashes/sha256';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils';
import canonicalize from 'canonicalize';

/**
 * An event as it is proven: as the log has it, or with some members veiled. A veiled member is left out and listed in
 * `veiled` by its place and digest instead, so that the rest can be proven to somebody who may not see it.
 */
export type ProvenEvent = Readonly<{
  stream: string;
  version: number;
  type: string;
  data: object;
  metadata: object;
  veiled?: Readonly<Record<string, string>>;
}>;

type Members = Readonly<Record<string, unknown>>;

/** How texts are built and digested: code that hashes a whole log has faster ways to the same result. */
export type Means = Readonly<{ digest: (text: string) => string; canonical: (value: unknown) => string }>;

// This form is hashed into every root that was ever signed: a second form can be added, but this one never changed.
/** Members of `data`, and of a payment in it, that not every viewer of the event may see. A chain's hash is public. */
const VEILED_IN_DATA = /^(?:device_id|account_id|(?!transaction_hash$).*_hash|.*_sealed)$/;
const VEILED_IN_METADATA: ReadonlySet<string> = new Set(['actor', 'request_id']);

/** RFC 8785. */
export function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('this value has no JSON form');
  return text;
}

const plain: Means = { digest: (text) => bytesToHex(sha256(utf8ToBytes(text))), canonical };

/** The text that is hashed as the event's leaf: the same whichever members are veiled. */
export function leafText(event: ProvenEvent, means: Means = plain): string {
  const { stream, version, type, data, metadata, veiled } = veil(event, () => false, means);
  return means.canonical({ stream, version, type, data, metadata, veiled });
}

/** RFC 9162: a leaf is hashed with a leading zero byte, so that it can never pass for a node. */
export const leafHash = (event: ProvenEvent): Uint8Array =>
  sha256(concatBytes(Uint8Array.of(0), utf8ToBytes(leafText(event))));

/** The event with only those of its veilable members in clear for which `discloses` returns true. */
export function veil(
  { stream, version, type, data, metadata, veiled: before = {} }: ProvenEvent,
  discloses: (member: string, value: unknown) => boolean,
  means: Means = plain,
): Required<ProvenEvent> {
  const veiled: Record<string, string> = { ...before };
  // The event's own id goes into the digest, so that the same value looks different in every event.
  const salt = (metadata as Members)['event_id'];
  const strip = (members: Members, path: string, isVeilable: (name: string) => boolean): Members => {
    const kept: Record<string, unknown> = {};
    for (const name of Object.keys(members)) {
      // A plain assignment to `__proto__` would not create a member, and the hash would not cover it.
      if (name === '__proto__') throw new TypeError('an event has no such member: __proto__');
      const value = members[name];
      const place = `${path}/${name}`;
      if (isVeilable(name) && !discloses(name, value)) {
        if (Object.hasOwn(before, place)) throw new TypeError(`${place} is both veiled and present`);
        veiled[place] = means.digest(means.canonical([salt, place, value]));
      } else if (path === '/data' && name === 'payment' && isMembers(value)) {
        kept[name] = strip(value, place, inData);
      } else {
        kept[name] = value;
      }
    }
    return kept;
  };
  return {
    stream,
    version,
    type,
    data: strip(data as Members, '/data', inData),
    metadata: strip(metadata as Members, '/metadata', (name) => VEILED_IN_METADATA.has(name)),
    veiled,
  };
}

const inData = (name: string): boolean => VEILED_IN_DATA.test(name);

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
