import { type Issue } from '../kernel/errors';

/** An issue whose field is not yet known. */
export type Problem = Omit<Issue, 'field'>;

// No message repeats the value it is about: what was pasted may be a secret, and errors end up in logs.

export const invalid = (message: string): Problem => ({ code: 'invalid_address', message });

export const checksumMismatch: Problem = {
  code: 'checksum_mismatch',
  message: 'The checksum does not match, so at least one character is wrong. Copy the address again from the wallet.',
};

export const testnetForm = (message: string): Problem => ({ code: 'testnet_address', message });

export const secretPasted: Problem = {
  code: 'secret_not_accepted',
  message:
    'This looks like a secret key or recovery phrase, which must never be shared. Treat that wallet as compromised: ' +
    'move its funds to a new one, and give the public address instead.',
};

export const reservedAddress: Problem = {
  code: 'unusable_address',
  message: 'This address belongs to the chain itself or to nobody: money sent there is lost. Give your own address.',
};
