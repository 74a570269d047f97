import { type Call, type CallOptions, type ClientOptions, nobody, Transport } from '../transport.ts';
import { type Merchant, type MerchantChoice } from '../types/merchant.ts';

export type OpenedSession = Readonly<{
  session: Readonly<{ expires_at: string }>;
  merchant: Merchant;
  csrf_token: string;
  /** Only for a bearer session. */
  session_token?: string;
}>;

export type VerifiedEmail = Readonly<{
  merchants: readonly MerchantChoice[];
  session_grant: string;
  session_grant_expires_at: string;
}>;

export type CreatedMerchant = Readonly<{ merchant: Merchant; next_grant: string; next_grant_expires_at: string }>;

export type SessionInput = Readonly<{ grant: string; choice?: string }>;

/** The way from an e-mail address to a session; every credential on it works once. */
export class MerchantAccess {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Sends a link by mail; the response is the same whether or not the address is known. */
  async register(email: string, options?: CallOptions): Promise<void> {
    await this.#post('/v1/merchant-accounts/registrations', { email }, options);
  }

  /** Uses up the token of the mailed link. */
  verifyEmail(token: string, options?: CallOptions): Promise<VerifiedEmail> {
    return this.#post('/v1/merchant-accounts/email-verifications', { token }, options);
  }

  createMerchant(input: Readonly<{ grant: string; name: string }>, options?: CallOptions): Promise<CreatedMerchant> {
    return this.#post('/v1/merchants', input, options);
  }

  /** `bearer` for programs; `cookie` for pages on the service's own origin, where the browser keeps the session. */
  openSession(
    input: SessionInput & Readonly<{ delivery: 'bearer' | 'cookie' }>,
    options?: CallOptions,
  ): Promise<OpenedSession> {
    return this.#post('/v1/merchant-sessions', input, options);
  }

  async #post<T>(path: string, body: object, options: CallOptions | undefined): Promise<T> {
    const call: Call = { method: 'POST', path, body, options };
    // The session cookie must be accepted, which browsers tie to the same setting as sending one.
    return (await this.#transport.send<T>(call, { ...nobody, cookies: true })).body;
  }
}
