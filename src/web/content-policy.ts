import { createHash } from 'node:crypto';

const hashOf = (style: string): string => `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/**
 * react-aria adds these two style elements at run time (for touch presses, and for dialogs on iOS); nothing else may
 * add any. If their text changes, the browser tests report the violation.
 */
const LIBRARY_STYLES = [
  '@layer {\n  [data-react-aria-pressable] {\n    touch-action: pan-x pan-y pinch-zoom;\n  }\n}',
  '@layer {\n  * {\n    overscroll-behavior: contain;\n  }\n}',
].map(hashOf);

/** Lists every allowed source: nothing inline, no eval, and no other origin except the wallet's network server. */
export const contentPolicy = (elsewhere: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${LIBRARY_STYLES.join(' ')}`,
    "img-src 'self'",
    "manifest-src 'self'",
    `connect-src ${["'self'", ...elsewhere].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
