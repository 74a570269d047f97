/** Enough issues to fix a body by; a body full of problems must not cause a response many times its size. */
export const MOST_ISSUES = 100;
export const LONGEST_PATH = 300;

/** A key and its parent. The path is only built if there is something to report about it. */
export type Step = Readonly<{ key: string | number; parent: Step | undefined }>;

/** Dotted, as the caller wrote it. Keys are cut before they are joined: one may be as long as a body. */
export function pathTo(step: Step | undefined): string {
  const keys: string[] = [];
  for (let at = step; at !== undefined; at = at.parent) keys.unshift(String(at.key).slice(0, LONGEST_PATH));
  return keys.join('.').slice(0, LONGEST_PATH).toWellFormed();
}
