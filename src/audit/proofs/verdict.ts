/** The result of a check, in words: a verdict with problems proves nothing. */
export type Verdict = Readonly<{
  ok: boolean;
  proven: readonly string[];
  notProven: readonly string[];
  problems: readonly string[];
}>;

export const failed = (...problems: readonly string[]): Verdict => ({
  ok: false,
  proven: [],
  notProven: ['Nothing: the file does not hold together.'],
  // Several checks may find the same problem.
  problems: [...new Set(problems)],
});

/** What no proof of this kind can ever show. */
export const NEVER_PROVEN: readonly string[] = [
  'That what the events say is true outside the log: only the chain itself proves that money moved, by the transaction hash.',
  'That everybody is shown the same log: compare checkpoints with others, and ask for consistency proofs between them.',
];

export const keyIsPinned = (pinned: boolean, keyId: string): string =>
  pinned
    ? `The checkpoint was signed by the key you named, ${keyId}.`
    : `The checkpoint was signed by key ${keyId}, which came with the file.`;

export const keyIsEndorsed = (keyId: string): string =>
  `The checkpoint was signed by key ${keyId}, which succeeds a key you named: at each rotation in between, the previous key endorsed the next.`;

export const unpinned = (pinned: boolean, keyId: string): readonly string[] =>
  pinned
    ? []
    : [`That key ${keyId} is the service’s: compare it with GET /v1/audit/keys, or pass the key you trust with --key.`];
