import { toASCII } from 'tr46';

/**
 * A host name in lower-case ASCII, or undefined if it is not valid under IDNA (UTS 46). Not by the runtime's parser:
 * its versions differ on names such as xn--a, and whether a name is valid must not depend on that.
 */
export function asciiName(name: string): string | undefined {
  const options = { checkBidi: true, checkHyphens: false, checkJoiners: true, useSTD3ASCIIRules: false };
  return toASCII(name, { ...options, verifyDNSLength: false, transitionalProcessing: false }) ?? undefined;
}
