import { hexToBytes } from '@noble/hashes/utils';
import nacl from 'tweetnacl';
import { endorsementBytes, isOwnId, keyIdOf, PUBLIC_KEY, type PublicKey } from './checkpoint.ts';

/** One key states that another follows it: what a rotation leaves in the log, together with both keys. */
export type Endorsement = Readonly<{
  key_id: string;
  public_key: string;
  by_key_id: string;
  by_public_key: string;
  signature: string;
}>;

/** The keys that came with a file. Files from before there were endorsements have none. */
export type KeysOfFile = Readonly<{ keys: readonly PublicKey[]; endorsements?: readonly Endorsement[] }>;

/** Two of the service's longest chains; a file may claim anything, and each entry costs a signature check. */
export const MAX_ENDORSEMENTS = 400;

/**
 * The ids of the trusted keys: those named, and those that a trusted one has endorsed, across any number of rotations.
 * Undefined if none were named.
 */
export function trustedIds(
  { keys, endorsements = [] }: KeysOfFile,
  trustedKeys: readonly string[] | undefined,
): ReadonlySet<string> | undefined {
  if (trustedKeys === undefined) return undefined;
  let open = endorsements.slice(0, MAX_ENDORSEMENTS);
  const given = [...keys.map(({ public_key }) => public_key), ...open.map(({ by_public_key }) => by_public_key)];
  const trusted = new Set<string>();
  for (const key of new Set(given)) {
    // By the key, whatever the file calls it: under a borrowed id another key could endorse anyone.
    const id = PUBLIC_KEY.test(key) ? keyIdOf(key) : undefined;
    if (id !== undefined && (trustedKeys.includes(id) || trustedKeys.includes(key))) trusted.add(id);
  }
  for (;;) {
    const next = open.filter(({ by_key_id }) => trusted.has(by_key_id));
    if (next.length === 0) return trusted;
    open = open.filter((one) => !next.includes(one));
    for (const one of next) if (isSigned(one)) trusted.add(one.key_id);
  }
}

/** Each id must be its key's own: under another key the signature would say nothing. */
export function isSigned(one: Endorsement): boolean {
  return (
    /^[0-9a-f]{128}$/.test(one.signature) &&
    isOwnId(one) &&
    isOwnId({ key_id: one.by_key_id, public_key: one.by_public_key }) &&
    nacl.sign.detached.verify(endorsementBytes(one), hexToBytes(one.signature), hexToBytes(one.by_public_key))
  );
}

/** For a file: omitted if there was no rotation, because a member that nobody checks could be changed unnoticed. */
export const asField = (endorsements: readonly Endorsement[]): Readonly<{ endorsements?: readonly Endorsement[] }> =>
  endorsements.length > 0 ? { endorsements } : {};
