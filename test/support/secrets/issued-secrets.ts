/** The kind of a secret, for reporting where one appeared without repeating it. */
export type Kind =
  | 'email link'
  | 'grant'
  | 'session'
  | 'agent token'
  | 'connect key'
  | 'claim token'
  | 'connection token'
  | 'device token'
  | 'API key'
  | 'webhook secret'
  | 'CSRF proof'
  | 'credential challenge'
  | 'pairing code'
  | 'service setting';

const PREFIXES: Readonly<Record<string, Kind>> = {
  svc_el_: 'email link',
  svc_sg_: 'grant',
  svc_ms_: 'session',
  svc_at_: 'agent token',
  svc_ck_: 'connect key',
  svc_cl_: 'claim token',
  svc_ct_: 'connection token',
  svc_dt_: 'device token',
  svc_sk_: 'API key',
};

const TOKEN = /svc_(?:el|sg|ms|at|ck|cl|ct|dt|sk)_[\w-]{40,}/g;
const WEBHOOK_SECRET = /whsec_[\w+/=-]{20,}/g;
const NAMED: readonly (readonly [RegExp, Kind])[] = [
  [/"csrf_token":"([^"]+)"/g, 'CSRF proof'],
  [/"proof_challenge":"([^"]+)"/g, 'credential challenge'],
  [/"code":"([A-Z0-9]{8})","uri":/g, 'pairing code'],
];

/** Long enough to be unique, short enough to be found when only a part of the secret leaks. */
const TAIL = 24;
const CODE_LENGTH = 8;

/** Every secret that the services of this test file have handed out. */
export class IssuedSecrets {
  private readonly tails = new Map<string, Kind>();
  private readonly codes = new Map<string, Kind>();
  private readonly webhookSecrets = new Set<string>();

  get size(): number {
    return this.tails.size + this.codes.size + this.webhookSecrets.size;
  }

  note(kind: Kind, secret: string): void {
    if (kind === 'webhook secret') this.webhookSecrets.add(secret.slice(secret.indexOf('_') + 1));
    else if (secret.length === CODE_LENGTH) this.codes.set(secret, kind);
    else if (secret.length >= TAIL) this.tails.set(secret.slice(-TAIL), kind);
  }

  /** Notes every secret in a response of the service, or in the mail it belongs to. */
  noteAllIn(text: string): void {
    // Most responses hold none; one check each keeps that cheap.
    if (text.includes('svc_')) {
      for (const [token] of text.matchAll(TOKEN)) this.note(PREFIXES[token.slice(0, 7)] as Kind, token);
    }
    if (text.includes('whsec_')) {
      for (const [secret] of text.matchAll(WEBHOOK_SECRET)) this.note('webhook secret', secret);
    }
    for (const [pattern, kind] of NAMED) {
      for (const [, secret = ''] of text.matchAll(pattern)) this.note(kind, secret);
    }
  }

  /** The kinds of all secrets found in a text that must not contain any. */
  kindsIn(text: string): readonly Kind[] {
    const kinds = new Set<Kind>();
    for (const [run] of text.matchAll(RUN)) {
      if (HARMLESS.test(run)) continue;
      for (let start = 0; start + TAIL <= run.length; start += 1) {
        const kind = this.tails.get(run.slice(start, start + TAIL));
        if (kind !== undefined) kinds.add(kind);
      }
    }
    if (this.codes.size > 0) {
      for (const [word] of text.matchAll(CODE)) {
        const kind = this.codes.get(word.replace(/[ -]/g, ''));
        if (kind !== undefined) kinds.add(kind);
      }
    }
    // Base64 has characters that end a run, so these are searched one by one; there are never many.
    for (const secret of this.webhookSecrets) if (text.includes(secret)) kinds.add('webhook secret');
    return [...kinds];
  }
}

const RUN = /[\w-]{24,}/g;
/** An id, a digest or a UUID: most long words in a log, and not secrets. */
const HARMLESS = /^(?:[a-z]{2,3}_[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const CODE = /\b[A-Z0-9]{4}[ -]?[A-Z0-9]{4}\b/g;

/** One per test file: modules are loaded again for each. */
export const issuedSecrets = new IssuedSecrets();

/** Places where a secret was found, reported when the service or the file ends. */
export const leaks: string[] = [];

/** The response to a refused call must not contain secrets; any other may hand them out. */
export function watchAnswer(url: string, status: number, text: string, cookies: string): void {
  if (status < 400) {
    issuedSecrets.noteAllIn(text);
    if (cookies !== '') issuedSecrets.noteAllIn(cookies);
    return;
  }
  const { pathname } = new URL(url);
  for (const kind of issuedSecrets.kindsIn(text)) leaks.push(`${kind} in an error body of ${pathname.slice(0, 80)}`);
}

/** Records the secrets in a text that must not contain any. */
export function searchIn(place: string, text: string): void {
  for (const kind of issuedSecrets.kindsIn(text)) leaks.push(`${kind} in ${place}`);
}

/** Throws with kinds and places, never with secrets. */
export function throwOnLeaks(): void {
  const found = [...new Set(leaks.splice(0))];
  if (found.length > 0) throw new Error(`secrets where none belong: ${found.join('; ')}`);
}
