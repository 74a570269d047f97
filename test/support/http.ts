import { watchAnswer } from './secrets/issued-secrets';

export type Answer = Readonly<{ status: number; headers: Headers; body: Record<string, any>; text: string }>;

type Call = Readonly<{
  method?: string;
  body?: unknown;
  raw?: string | Uint8Array;
  headers?: Readonly<Record<string, string>>;
}>;

/** One HTTP call; the response body is parsed if it is JSON. */
export async function call(url: string, { method, body, raw, headers = {} }: Call = {}): Promise<Answer> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(url, {
    method: method ?? (payload === undefined ? 'GET' : 'POST'),
    headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    redirect: 'manual',
    ...(payload === undefined ? {} : { body: payload as string }),
  });
  const text = await response.text();
  watchAnswer(url, response.status, text, response.headers.get('set-cookie') ?? '');
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : {}, text };
}
