export type Pairing = Readonly<{ code: string; sessionId?: string }>;

/** What a person types, pastes or scans: a code in any grouping, or the whole `svc://pair?…` link. */
export function readPairing(typed: string): Pairing | undefined {
  const text = typed.trim();
  if (/^[a-z]+:/i.test(text)) return readLink(text);
  const code = tidyCode(text);
  return isCode(code) ? { code } : undefined;
}

function readLink(text: string): Pairing | undefined {
  const [, query] = /^svc:\/\/pair\/?\?(.*)$/is.exec(text) ?? [];
  if (query === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const code = tidyCode(parameters.get('code') ?? '');
  const sessionId = parameters.get('session') ?? '';
  return isCode(code) && /^prs_[0-9A-Z]{26}$/.test(sessionId) ? { code, sessionId } : undefined;
}

const tidyCode = (code: string): string => code.replace(/[\s\p{Pd}]/gu, '').toUpperCase();

const isCode = (code: string): boolean => /^[0-9A-Z]{8}$/.test(code);
