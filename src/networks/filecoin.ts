import { base32nopad } from '@scure/base';
import { blake2b } from '@noble/hashes/blake2';
import { concatBytes } from '@noble/hashes/utils';
import { attempt, isReserved, sameBytes } from './codecs';
import { type AddressCheck } from './network';
import { type Problem, checksumMismatch, invalid, reservedAddress, testnetForm } from './problems';

/** The Ethereum address manager: the only existing namespace of delegated (f4) addresses. */
const ETHEREUM_NAMESPACE = 10;
const PAYLOAD_LENGTH: Readonly<Record<string, number>> = { '1': 20, '2': 20, '3': 48 };

export const filecoinAddress: AddressCheck = (address) => {
  if (/^t[0-4]/.test(address)) return testnetForm('This is a Filecoin testnet address. Give one that starts with f.');
  if (/^f0\d+$/.test(address))
    return invalid('An f0 id has no checksum. Give the f1, f2, f3 or f4 address of the same account.');
  if (/^0x[0-9a-fA-F]{40}$/.test(address))
    return invalid('Give the Filecoin form of this address, which starts with f410f.');
  const delegated = /^f410f([a-z2-7]+)$/.exec(address)?.[1];
  if (delegated !== undefined) return bodyProblem([4, ETHEREUM_NAMESPACE], delegated, 20);
  const [, protocol = '', body = ''] = /^f([123])([a-z2-7]+)$/.exec(address) ?? [];
  const length = PAYLOAD_LENGTH[protocol];
  if (length === undefined)
    return invalid(
      'A Filecoin address starts with f1, f2, f3 or f410f and is written in small letters. Copy it from the wallet.',
    );
  return bodyProblem([Number(protocol)], body, length);
};

function bodyProblem(protocol: readonly number[], body: string, payloadLength: number): Problem | undefined {
  const bytes = attempt(() => base32nopad.decode(body.toUpperCase()));
  if (bytes?.length !== payloadLength + 4) return checksumMismatch;
  const payload = bytes.subarray(0, payloadLength);
  const checksum = blake2b(concatBytes(Uint8Array.from(protocol), payload), { dkLen: 4 });
  if (!sameBytes(checksum, bytes.subarray(payloadLength))) return checksumMismatch;
  return isReserved(payload) ? reservedAddress : undefined;
}
