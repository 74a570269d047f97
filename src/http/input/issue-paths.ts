/** An answer lists enough to mend a body by; one made of nothing but problems must not come back many times over. */
export const MOST_ISSUES = 100;
export const LONGEST_PATH = 300;

/** A key, and the one it stands under. The path is written out only where there is something to say about it. */
export type Step = Readonly<{ key: string | number; parent: Step | undefined }>;

/** Dotted, as the caller wrote it, and cut before it is put together: keys may be as long as a body. */
export function pathTo(step: Step | undefined): string {
  const keys: string[] = [];
  for (let at = step; at !== undefined; at = at.parent) keys.unshift(String(at.key).slice(0, LONGEST_PATH));
  return keys.join('.').slice(0, LONGEST_PATH).toWellFormed();
}
