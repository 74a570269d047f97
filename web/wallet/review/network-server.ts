import { PageError } from '../../live/page-error.ts';

/** What happened to a transaction that was submitted to the network's server. */
export type Submission =
  | Readonly<{ kind: 'in_ledger'; ledger: number }>
  /** Accepted, and perhaps in a ledger later: the server did not say in time. */
  | Readonly<{ kind: 'taken' }>
  | Readonly<{ kind: 'refused'; code: string; operations: readonly string[] }>
  /** No readable response. The transaction may have been accepted all the same. */
  | Readonly<{ kind: 'unknown'; why: string }>;

export type Found = Readonly<{ ledger: number; successful: boolean }>;

export type NetworkAccount = Readonly<{ sequence: string; balances: readonly Balance[] }>;
export type Balance = Readonly<{ amount: string; asset: string; issuer?: string }>;

/** No response, or an unusable one: ask again later. */
export class NetworkAway extends PageError {
  constructor(why: unknown, soFar?: string) {
    const message = ['The network’s server did not answer.', ...(soFar === undefined ? [] : [soFar])].join(' ');
    super(message, 'Check your connection, then try again.', 'network_away', { cause: why });
  }
}

type Options = Readonly<{ url: string; fetch?: typeof globalThis.fetch; timeoutMs?: number }>;

/** Horizon, with the few calls a wallet needs. It never sees a key, only public queries and signed transactions. */
export class NetworkServer {
  readonly url: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #timeoutMs: number;

  constructor({ url, fetch = globalThis.fetch.bind(globalThis), timeoutMs = 20_000 }: Options) {
    this.url = url.replace(/\/+$/, '');
    this.#fetch = fetch;
    this.#timeoutMs = timeoutMs;
  }

  /** Undefined if the network has no such account: nobody has funded it yet. */
  async account(address: string): Promise<NetworkAccount | undefined> {
    const body = await this.#get(`/accounts/${address}`);
    if (body === undefined) return undefined;
    const { sequence, balances } = body;
    if (typeof sequence !== 'string' || !/^\d+$/.test(sequence)) throw new NetworkAway('the account has no sequence');
    return { sequence, balances: Array.isArray(balances) ? balances.flatMap(balanceOf) : [] };
  }

  /** Undefined if no ledger known to the server contains it. */
  async find(hash: string): Promise<Found | undefined> {
    const body = await this.#get(`/transactions/${hash}`);
    if (body === undefined) return undefined;
    if (body['hash'] !== hash) throw new NetworkAway('the answer is about another transaction');
    const { ledger, successful } = body;
    if (typeof ledger !== 'number') throw new NetworkAway('the transaction has no ledger');
    return { ledger, successful: successful !== false };
  }

  /** When the newest ledger closed, in seconds since 1970: a transaction that expired before can never be included. */
  async newestClose(): Promise<number> {
    const body = await this.#get('/ledgers?order=desc&limit=1');
    const records = (body?.['_embedded'] as { records?: readonly { closed_at?: string }[] } | undefined)?.records;
    const closed = Date.parse(records?.[0]?.closed_at ?? '');
    if (Number.isNaN(closed)) throw new NetworkAway('no ledger was named');
    return closed / 1000;
  }

  async submit(xdr: string, hash: string): Promise<Submission> {
    let response: Response;
    let body: Body;
    try {
      response = await this.#ask('/transactions', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ tx: xdr }).toString(),
      });
      body = ((await response.json()) ?? {}) as Body;
    } catch (error) {
      return { kind: 'unknown', why: error instanceof Error ? error.message : String(error) };
    }
    return verdictOf(response.status, body, hash);
  }

  async #get(path: string): Promise<Body | undefined> {
    let response: Response;
    try {
      response = await this.#ask(path, {});
      if (response.status === 404) return undefined;
      if (response.ok) return (await response.json()) as Body;
    } catch (error) {
      throw new NetworkAway(error instanceof Error ? error.message : String(error));
    }
    throw new NetworkAway(`HTTP ${response.status}`);
  }

  #ask(path: string, init: RequestInit): Promise<Response> {
    return this.#fetch(this.url + path, {
      ...init,
      headers: { accept: 'application/json', ...init.headers },
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
  }
}

type Body = Readonly<Record<string, unknown>>;

function verdictOf(status: number, body: Body, hash: string): Submission {
  if (status === 200 && body['hash'] === hash && typeof body['ledger'] === 'number') {
    if (body['successful'] === false) return { kind: 'refused', code: 'tx_failed', operations: [] };
    return { kind: 'in_ledger', ledger: body['ledger'] };
  }
  // The asynchronous endpoint answers 201; 504 means that the ledger did not close in time.
  if (status === 201 || status === 202 || status === 504) return { kind: 'taken' };
  if (status !== 400) return { kind: 'unknown', why: `HTTP ${status}` };
  const codes = (body['extras'] as { result_codes?: ResultCodes } | undefined)?.result_codes;
  if (codes?.transaction !== undefined) {
    return { kind: 'refused', code: codes.transaction, operations: codes.operations ?? [] };
  }
  // Horizon itself reports a transaction that it could not read under this type; any other 400 may come from a proxy.
  if (String(body['type']).endsWith('/transaction_malformed'))
    return { kind: 'refused', code: 'tx_malformed', operations: [] };
  return { kind: 'unknown', why: 'HTTP 400' };
}

type ResultCodes = Readonly<{ transaction?: string; operations?: readonly string[] }>;

function balanceOf(one: unknown): Balance[] {
  const { balance, asset_type, asset_code, asset_issuer } = one as Readonly<Record<string, string | undefined>>;
  if (balance === undefined) return [];
  if (asset_type === 'native') return [{ amount: balance, asset: 'XLM' }];
  if (asset_code === undefined || asset_issuer === undefined) return [];
  return [{ amount: balance, asset: asset_code, issuer: asset_issuer }];
}
