import { hexToBytes } from '@noble/hashes/utils';
import nacl from 'tweetnacl';
import { endorsementBytes, isOwnId, keyIdOf, PUBLIC_KEY, type PublicKey } from './checkpoint.ts';

/** One key says that another follows it: what a rotation leaves in the log, with both keys beside it. */
export type Endorsement = Readonly<{
  key_id: string;
  public_key: string;
  by_key_id: string;
  by_public_key: string;
  signature: string;
}>;

/** The keys that came with a file. Files from before there were endorsements in them have none. */
export type KeysOfFile = Readonly<{ keys: readonly PublicKey[]; endorsements?: readonly Endorsement[] }>;

/** Of two chains, each as long as the service makes one; a file may claim anything, and each costs a signature to look at. */
export const MOST_ENDORSEMENTS = 400;

/**
 * The ids of the keys that are trusted: those named, and those for which a trusted one has signed, however many rotations there
 * were between. Undefined where nobody named any.
 */
export function trustedIds(
  { keys, endorsements = [] }: KeysOfFile,
  trustedKeys: readonly string[] | undefined,
): ReadonlySet<string> | undefined {
  if (trustedKeys === undefined) return undefined;
  let open = endorsements.slice(0, MOST_ENDORSEMENTS);
  const given = [...keys.map(({ public_key }) => public_key), ...open.map(({ by_public_key }) => by_public_key)];
  const trusted = new Set<string>();
  for (const key of new Set(given)) {
    // By the key, whatever the file calls it: under a borrowed id another key would sign for whom it likes.
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

/** That each id is its key's own is part of it: under another key the signature would say nothing. */
export function isSigned(one: Endorsement): boolean {
  return (
    /^[0-9a-f]{128}$/.test(one.signature) &&
    isOwnId(one) &&
    isOwnId({ key_id: one.by_key_id, public_key: one.by_public_key }) &&
    nacl.sign.detached.verify(endorsementBytes(one), hexToBytes(one.signature), hexToBytes(one.by_public_key))
  );
}

/** For a file: nothing where nothing was rotated, or a name that nobody looks at could be changed unseen. */
export const asField = (endorsements: readonly Endorsement[]): Readonly<{ endorsements?: readonly Endorsement[] }> =>
  endorsements.length > 0 ? { endorsements } : {};
