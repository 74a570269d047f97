import { utf8ToBytes } from '@noble/hashes/utils';
import { type MemoRule, type Network } from './network';
import { looksLikeSecret } from './pasted-secrets';
import { type Problem, secretPasted } from './problems';

export const noMemo: MemoRule = { kind: 'none' };
export const textMemo = (called: string, maxBytes: number): MemoRule => ({ kind: 'text', called, maxBytes });
export const integerMemo = (called: string, bits: 32 | 64): MemoRule => ({ kind: 'integer', called, bits });

const invalidMemo = (message: string): Problem => ({ code: 'invalid_memo', message });

/** Payees identify payments by the memo, so it must arrive exactly: nothing is trimmed, cut or normalised. */
export function memoProblem(network: Network, memo: string): Problem | undefined {
  const rule = network.memo;
  if (memo === '') return invalidMemo('The memo is empty. Leave the field out, or write the memo the payee asks for.');
  if (looksLikeSecret(memo)) return secretPasted;
  switch (rule.kind) {
    case 'none':
      return { code: 'memo_not_accepted', message: `Payments on ${network.title} carry no memo. Leave the field out.` };
    case 'integer':
      return integerProblem(memo, rule.bits, rule.called);
    case 'text':
      return textProblem(memo, rule.maxBytes, rule.called);
  }
}

function integerProblem(memo: string, bits: number, called: string): Problem | undefined {
  const isInteger = /^(?:0|[1-9]\d{0,19})$/.test(memo) && BigInt(memo) < 2n ** BigInt(bits);
  const largest = (2n ** BigInt(bits) - 1n).toString();
  return isInteger
    ? undefined
    : invalidMemo(`The ${called} is a whole number from 0 to ${largest}, written in digits only.`);
}

function textProblem(memo: string, maxBytes: number, called: string): Problem | undefined {
  // Control characters, lone surrogates and bidirectional marks are invisible and change what is sent.
  if (/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u.test(memo))
    return invalidMemo(`The ${called} contains invisible or broken characters. Type it again.`);
  if (memo !== memo.trim()) return invalidMemo(`The ${called} starts or ends with a space. Remove it.`);
  const bytes = utf8ToBytes(memo).length;
  return bytes > maxBytes
    ? invalidMemo(`The ${called} has ${bytes} bytes in UTF-8; the network takes at most ${maxBytes}. Shorten it.`)
    : undefined;
}
