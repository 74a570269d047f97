import {
  type Call,
  type CallOptions,
  type ClientOptions,
  type KeyedOptions,
  making,
  type Proof,
  Transport,
} from '../transport.ts';

/** A bearer token, or the CSRF token that goes with the browser's cookie. */
export type SessionProof = Readonly<{ sessionToken: string }> | Readonly<{ csrfToken: string }>;

/** Calls authenticated with an operator's session. */
export class MerchantSession {
  readonly #transport: Transport;
  readonly #proof: SessionProof;

  constructor(options: ClientOptions, proof: SessionProof) {
    this.#transport = new Transport(options);
    this.#proof = proof;
  }

  get<T>(path: string, query: Call['query'], options: CallOptions | undefined): Promise<T> {
    return this.#send<T>({ method: 'GET', path, query, options });
  }

  post<T>(path: string, body: object, options: CallOptions | undefined): Promise<T> {
    return this.#send<T>({ method: 'POST', path, body, options });
  }

  /** A `post` that makes something, with an idempotency key. */
  make<T>(path: string, body: object, options: KeyedOptions | undefined): Promise<T> {
    return this.#send<T>(making(path, body, options));
  }

  patch<T>(path: string, body: object, options: CallOptions | undefined): Promise<T> {
    return this.#send<T>({ method: 'PATCH', path, body, options });
  }

  delete<T>(path: string, options: CallOptions | undefined): Promise<T> {
    return this.#send<T>({ method: 'DELETE', path, options });
  }

  open(path: string, query: Call['query'], signal: AbortSignal): Promise<Response> {
    return this.#transport.open({ method: 'GET', path, query }, proofOf(this.#proof, 'GET'), signal);
  }

  async #send<T>(call: Call): Promise<T> {
    return (await this.#transport.send<T>(call, proofOf(this.#proof, call.method))).body;
  }
}

function proofOf(proof: SessionProof, method: Call['method']): Proof {
  if ('sessionToken' in proof) return { headers: { authorization: `Bearer ${proof.sessionToken}` } };
  return { headers: method === 'GET' ? {} : { 'x-csrf-token': proof.csrfToken }, cookies: true };
}
