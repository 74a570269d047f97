import { MerchantClient } from '../../sdk/src/merchant/client.ts';
import { SvcError } from '../../sdk/src/errors.ts';
import { type Merchant } from '../../sdk/src/types/merchant.ts';
import { clockedFetch } from '../live/clock.ts';
import { baseUrl } from '../live/service.ts';

export type SessionState =
  | Readonly<{ kind: 'unknown' }>
  | Readonly<{ kind: 'failed'; error: unknown }>
  | Readonly<{ kind: 'signed-out' }>
  | SignedIn;

export type SignedIn = Readonly<{
  kind: 'signed-in';
  client: MerchantClient;
  merchant: Merchant;
  expiresAt: string;
  /** It ended while the page was in use: the page stays as it is until the person signs in again. */
  isLost: boolean;
}>;

type Opened = Readonly<{ csrf_token: string; merchant: Merchant; session: Readonly<{ expires_at: string }> }>;
type TabMessage = Readonly<{ kind: 'opened' | 'ended' }> | Readonly<{ kind: 'changed'; keys: readonly string[] }>;

/** Clocked: its response comes before any page, which then counts by the service's time from the beginning. */
const reader = new MerchantClient({ baseUrl, csrfToken: '', fetch: clockedFetch });

/**
 * The operator's session as this tab knows it. The session itself is in a cookie that no script can read and that all
 * tabs share: they notify each other when it changes.
 */
class PortalSession {
  #state: SessionState = { kind: 'unknown' };
  #csrf: string | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #tabs = new BroadcastChannel('svc-portal');
  onChanged: (keys: readonly string[] | 'all') => void = () => undefined;

  constructor() {
    this.#tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
      if (data.kind === 'changed') this.onChanged(data.keys);
      else if (data.kind === 'ended') this.lose();
      else void this.read();
    };
  }

  get state(): SessionState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads whether the cookie opens a session, and whose. */
  async read(): Promise<void> {
    try {
      this.#take(await reader.readSession());
    } catch (error) {
      if (error instanceof SvcError && error.status === 401) {
        if (this.#state.kind === 'signed-in') this.lose();
        else this.#set({ kind: 'signed-out' });
      } else if (this.#state.kind !== 'signed-in') this.#set({ kind: 'failed', error });
    }
  }

  /** A session was opened in this tab. */
  open(opened: Opened): void {
    this.#take(opened);
    this.#broadcast({ kind: 'opened' });
  }

  async signOut(): Promise<void> {
    if (this.#state.kind !== 'signed-in') return;
    await this.#state.client.signOut();
    this.leave();
  }

  /** The person ended the session. */
  leave(): void {
    this.#broadcast({ kind: 'ended' });
    // Nothing of the session may stay in this tab's memory.
    window.location.hash = '/';
    window.location.reload();
  }

  lose(): void {
    if (this.#state.kind === 'signed-in' && !this.#state.isLost) this.#set({ ...this.#state, isLost: true });
  }

  /** This tab changed something that others may show. */
  changed(keys: readonly string[]): void {
    this.onChanged(keys);
    this.#broadcast({ kind: 'changed', keys });
  }

  /** False if the session belongs to another organization: this tab then reloads. */
  #take({ csrf_token: csrfToken, merchant, session }: Opened): boolean {
    const before = this.#state;
    if (before.kind === 'signed-in' && before.merchant.merchant_id !== merchant.merchant_id) {
      // The cookie now belongs to another organization: this tab must not mix the data of both.
      window.location.hash = '/';
      window.location.reload();
      return false;
    }
    // The same session keeps its client, so that nothing that depends on it restarts.
    const isSame = before.kind === 'signed-in' && this.#csrf === csrfToken;
    const client = isSame ? before.client : new MerchantClient({ baseUrl, csrfToken, fetch: this.#watched });
    this.#csrf = csrfToken;
    this.#set({ kind: 'signed-in', client, merchant, expiresAt: session.expires_at, isLost: false });
    // Refetch what was refused in the meantime.
    if (before.kind === 'signed-in' && before.isLost) this.onChanged('all');
    return true;
  }

  /** The CSRF token belongs to the cookie: if another tab has signed in again, the call is retried with the new one. */
  #watched: typeof fetch = async (input, init) => {
    const response = await this.#fetch(input, init);
    if (response.status === 401) this.lose();
    // Somebody else changed it meanwhile: without the current version every further attempt would fail as well.
    if (response.status === 409) this.#refetch();
    if (response.status !== 403) return response;
    // A proxy's own refusal may not be JSON.
    const { error } = (await response
      .clone()
      .json()
      .catch(() => ({}))) as { error?: { code?: string } };
    if (error?.code !== 'csrf_failed') return response;
    const current = await reader.readSession();
    // What was meant for one organization must not happen in another.
    if (!this.#take(current)) return response;
    const headers = { ...(init?.headers as Record<string, string>), 'x-csrf-token': current.csrf_token };
    return this.#fetch(input, { ...init, headers });
  };

  /** A change whose response was lost may have been made, so the pages refetch. */
  async #fetch(input: RequestInfo | URL, init: RequestInit | undefined): Promise<Response> {
    try {
      return await clockedFetch(input, init);
    } catch (error) {
      const isGivenUp = error instanceof DOMException && error.name === 'AbortError';
      if (init?.method !== 'GET' && !isGivenUp) this.#refetch();
      throw error;
    }
  }

  #refetch(): void {
    this.onChanged('all');
    void this.read();
  }

  #broadcast(message: TabMessage): void {
    this.#tabs.postMessage(message);
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const portalSession = new PortalSession();
