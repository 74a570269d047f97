import { toASCII } from 'tr46';

/**
 * A host name in ASCII and small letters, or undefined where IDNA (UTS 46) knows no such name. Not by the runtime's own: each
 * version of it has another opinion of names such as xn--a, and whether a name is valid must not depend on that.
 */
export function asciiName(name: string): string | undefined {
  const options = { checkBidi: true, checkHyphens: false, checkJoiners: true, useSTD3ASCIIRules: false };
  return toASCII(name, { ...options, verifyDNSLength: false, transitionalProcessing: false }) ?? undefined;
}
