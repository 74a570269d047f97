import { mayBePrivateKey } from './private-keys';

/** Enough issues to fix a body by; a body full of problems must not cause a response many times its size. */
export const MAX_ISSUES = 100;
export const MAX_PATH_LENGTH = 300;

/** A key and its parent. The path is only built if there is something to report about it. */
export type Step = Readonly<{ key: string | number; parent: Step | undefined }>;

/**
 * Dotted, as the caller wrote it, up to a key that holds a secret: a response must not repeat it. Keys are cut before
 * they are joined, because one may be as long as a body, but searched in full: the part cut off may reveal the secret.
 */
export function pathTo(step: Step | undefined): string {
  let keys: string[] = [];
  for (let at = step; at !== undefined; at = at.parent) {
    if (mayBeSecret(at)) keys = [];
    else keys.unshift(String(at.key).slice(0, MAX_PATH_LENGTH));
  }
  return keys.join('.').slice(0, MAX_PATH_LENGTH).toWellFormed();
}

const secretSteps = new WeakMap<Step, boolean>();

/** Cached per key, because a hundred issues may have the same ancestors, and keys may be long. */
function mayBeSecret(step: Step): boolean {
  const known = secretSteps.get(step);
  if (known !== undefined) return known;
  const isSecret = mayBePrivateKey(String(step.key));
  secretSteps.set(step, isSecret);
  return isSecret;
}

/** The same for a problem, whose path is absent where it is the checked value itself. */
export function pathWithin(step: Step | undefined): Readonly<{ path?: string }> {
  const path = pathTo(step);
  return path === '' ? {} : { path };
}
