import type * as Session from './session.ts';

const HOUR_MS = 3_600_000;

const opened = (merchant_id: string, csrf_token: string) => ({
  ok: true,
  csrf_token,
  merchant: { merchant_id },
  session: { expires_at: '' },
});
const said: unknown[] = [];
let answer: (url: string, init: RequestInit | undefined) => Response;
const page = { href: 'http://svc.example/portal/', hash: '', reload: jest.fn() };

async function newSession() {
  let loaded: typeof Session | undefined;
  await jest.isolateModulesAsync(async () => void (loaded = await import('./session.ts')));
  return loaded!.portalSession;
}

beforeEach(() => {
  said.length = 0;
  page.reload.mockClear();
  Object.assign(globalThis, {
    fetch: async (url: string, init?: RequestInit) => answer(url, init),
    window: { location: page },
    BroadcastChannel: class {
      postMessage = (message: unknown): void => void said.push(message);
    },
  });
});

it('the portal knows the service’s time before it shows its first page', async () => {
  const date = new Date(Date.now() + 5 * HOUR_MS).toUTCString();
  answer = () => Response.json(opened('mer_1', 'c'), { headers: { date } });
  const { portalSession } = await import('./session.ts');
  const { serviceNow } = await import('../live/clock.ts');
  await portalSession.read();
  expect(portalSession.state.kind).toBe('signed-in');
  expect(Math.round((serviceNow() - Date.now()) / HOUR_MS)).toBe(5);
});

describe('a change that the session’s token no longer covers', () => {
  /** Another tab has signed in meanwhile, as this organization. */
  async function renameAfter(merchantId: string): Promise<readonly (string | null)[]> {
    answer = () => Response.json(opened('mer_1', 'old'));
    const session = await newSession();
    await session.read();
    const tokens: (string | null)[] = [];
    answer = (_, init) => {
      if (init?.method !== 'PATCH') return Response.json(opened(merchantId, 'new'));
      const token = new Headers(init.headers).get('x-csrf-token');
      tokens.push(token);
      if (token === 'new') return Response.json({ ok: true, merchant: { merchant_id: merchantId } });
      return Response.json({ ok: false, error: { code: 'csrf_failed', message: 'No.' } }, { status: 403 });
    };
    if (session.state.kind !== 'signed-in') throw new Error('not signed in');
    await session.state.client.rename({ version: 1, name: 'Shop' }).catch(() => undefined);
    return tokens;
  }

  it('is sent again with the new one', async () => {
    expect(await renameAfter('mer_1')).toEqual(['old', 'new']);
    expect(page.reload).not.toHaveBeenCalled();
  });

  it('does not happen in another organization, whose data this tab must not mix with its own', async () => {
    expect(await renameAfter('mer_2')).toEqual(['old']);
    expect(page.reload).toHaveBeenCalledTimes(1);
  });
});

it('a session that the person ends ends in every tab', async () => {
  answer = () => Response.json(opened('mer_1', 'c'));
  const session = await newSession();
  await session.read();
  answer = () => Response.json({ ok: true });
  await session.signOut();
  expect(said).toContainEqual({ kind: 'ended' });
  expect(page.reload).toHaveBeenCalledTimes(1);
});
