import { sha256 } from '@noble/hashes/sha256';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils';
import nacl from 'tweetnacl';
import { canonical } from './leaf.ts';

/** The service's signed statement about its whole log at a point in time. */
export type Checkpoint = Readonly<{
  /** The address of the service that signed. */
  origin: string;
  tree_size: number;
  root: string;
  time: string;
  key_id: string;
  signature: string;
}>;

export type PublicKey = Readonly<{ key_id: string; public_key: string }>;

const PURPOSE = 'svc transparency log checkpoint v1\n';
const ENDORSEMENT = 'svc transparency log key endorsement v1\n';
const SIGNATURE = /^[0-9a-f]{128}$/;
export const PUBLIC_KEY = /^[0-9a-f]{64}$/;

/** The bytes under the signature: the purpose comes first, so that the signature can never pass for another kind. */
export const signedBytes = ({ origin, tree_size, root, time, key_id }: Omit<Checkpoint, 'signature'>): Uint8Array =>
  utf8ToBytes(PURPOSE + canonical({ origin, tree_size, root, time, key_id }));

/** What a key signs to state that another follows it. */
export const endorsementBytes = (
  about: Readonly<{ key_id: string; public_key: string; by_key_id: string }>,
): Uint8Array =>
  utf8ToBytes(
    ENDORSEMENT + canonical({ key_id: about.key_id, public_key: about.public_key, by_key_id: about.by_key_id }),
  );

/** A key's id is derived from the key: a caller that knows the id cannot be given another key. */
export const keyIdOf = (publicKey: string): string => bytesToHex(sha256(hexToBytes(publicKey))).slice(0, 32);

/** Whether the id is the key's own: under another one it would pass for another key. */
export const isOwnId = ({ key_id, public_key }: PublicKey): boolean =>
  PUBLIC_KEY.test(public_key) && keyIdOf(public_key) === key_id;

export const notItsId = ({ key_id }: PublicKey): string => `key ${key_id} is not what its id says`;

/** What is wrong with a checkpoint under these keys; undefined if nothing is. */
export function checkpointProblem(checkpoint: Checkpoint, keys: readonly PublicKey[]): string | undefined {
  const key = keys.find(({ key_id }) => key_id === checkpoint.key_id);
  if (key === undefined)
    return `the checkpoint is signed by key ${checkpoint.key_id}, which is not among the known keys`;
  if (!isOwnId(key)) return notItsId(key);
  if (!SIGNATURE.test(checkpoint.signature)) return 'the checkpoint carries no signature in lower-case hex';
  const signature = hexToBytes(checkpoint.signature);
  const isSigned = nacl.sign.detached.verify(signedBytes(checkpoint), signature, hexToBytes(key.public_key));
  return isSigned ? undefined : 'the signature of the checkpoint does not match its content';
}
