/** One call as the client sent it. */
export type Sent = Readonly<{
  method: string;
  path: string;
  query: string;
  headers: Readonly<Record<string, string>>;
  body: Record<string, unknown>;
}>;

export type Scripted = Readonly<{ status?: number; body?: unknown; text?: string; headers?: Record<string, string> }>;

export const refusing = (status: number, code: string, more: object = {}): Scripted => ({
  status,
  body: { ok: false, error: { code, message: `${code}.`, request_id: 'req_1', ...more } },
});

/** A fetch that responds as scripted and records what it was sent. */
export function scriptedFetch(answer: (sent: Sent) => Scripted | Promise<Scripted>) {
  const sent: Sent[] = [];
  const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input));
    const call: Sent = {
      method: init.method ?? 'GET',
      path: url.pathname,
      query: url.search,
      headers: Object.fromEntries(new Headers(init.headers as Record<string, string>).entries()),
      body: typeof init.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {},
    };
    sent.push(call);
    init.signal?.throwIfAborted();
    const gone = new Promise<never>((_resolve, reject) =>
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)),
    );
    const { status = 200, body = { ok: true }, text, headers = {} } = await Promise.race([answer(call), gone]);
    return new Response(text ?? JSON.stringify(body), { status, headers });
  };
  return {
    sent,
    fetch: fetch as typeof globalThis.fetch,
    to: (path: string) => sent.filter((one) => one.path === path),
  };
}
