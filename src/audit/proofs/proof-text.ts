import { type ConsistencyProof, type PaymentProof } from './check-proof.ts';

type Answer = Readonly<{ ok?: unknown; proof?: PaymentProof; consistency?: ConsistencyProof }>;

/**
 * The proof that a text holds, by itself or in the answer that it came in; undefined if it holds none, or anything that
 * would seem to be proven with it.
 */
export function proofInText(text: string): PaymentProof | ConsistencyProof | undefined {
  try {
    const value = JSON.parse(text) as object;
    if (repeatsMember(text, value)) return undefined;
    // Check this first: a consistency proof has a member `proof` of its own.
    if ('format' in value) return value as PaymentProof;
    const { ok = true, proof, consistency, ...others } = value as Answer;
    const isAlone = ok === true && Object.keys(others).length === 0 && !(proof && consistency);
    return isAlone ? (proof ?? consistency) : undefined;
  } catch {
    return undefined;
  }
}

/** Of duplicate members, JSON.parse keeps the last, while a person reads the first. */
function repeatsMember(text: string, value: unknown): boolean {
  // Counted one by one: a hostile file may hold more texts than fit into memory as matches.
  let written = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) written += 1;
  return written !== membersIn(value);
}

function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, one) => sum + membersIn(one), own);
}
