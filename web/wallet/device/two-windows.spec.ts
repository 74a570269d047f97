import { eventually } from '../../../test/support/eventually.ts';
import { keyFromPassphrase } from '../keys/open-vault.ts';
import type * as Vault from '../keys/vault.ts';
import { type Change, type WalletRecord } from './storage.ts';
import type * as WalletModule from './wallet.ts';
import { type Unlocked } from './wallet.ts';

const kept: { record: WalletRecord | undefined } = { record: undefined };
let answer: ((url: string, init: RequestInit) => Promise<Response>) | undefined;

jest.mock('./storage.ts', () => ({
  readRecord: async () => kept.record,
  forgetEverything: async () => void (kept.record = undefined),
  changeRecord: async (change: Change) => {
    if (kept.record === undefined) return undefined;
    return (kept.record = { ...kept.record, ...(typeof change === 'function' ? change(kept.record) : change) });
  },
  addRecord: async (record: WalletRecord) => {
    if (kept.record !== undefined) return false;
    kept.record = record;
    return true;
  },
}));
jest.mock('../../live/service.ts', () => ({ baseUrl: 'http://127.0.0.1:1' }));
jest.mock('../../live/clock.ts', () => ({
  clockedFetch: async (url: string, init: RequestInit) => answer!(url, init),
}));
jest.mock('../keys/open-vault.ts', () => {
  const { stretch, vaultKey } = jest.requireActual<typeof Vault>('../keys/vault.ts');
  return {
    keyFromPassphrase: (passphrase: string, settings: Parameters<typeof stretch>[1]) =>
      vaultKey(stretch(passphrase, { ...settings, n: 2 })),
  };
});

/** Each wallet is a window with its own memory and the same storage. */
async function newWindow() {
  let loaded: typeof WalletModule | undefined;
  await jest.isolateModulesAsync(async () => void (loaded = await import('./wallet.ts')));
  await loaded!.wallet.start();
  return loaded!.wallet;
}
const json = (body: object) => new Response(JSON.stringify(body), { status: 200 });
const registered = (n: number) => async () => json({ device: { device_id: `dev_${n}` }, device_token: `svc_dt_${n}` });
const NO_TOKEN = JSON.stringify({ ok: false, error: { code: 'invalid_token', message: 'No.', retry: 'no' } });
const PASS = 'correct horse';

async function newWallet() {
  const wallet = await newWindow();
  answer = registered(1);
  await wallet.setUp({ deviceName: 'Phone', passphrase: PASS });
  return wallet;
}

beforeEach(() => {
  kept.record = undefined;
  Object.assign(globalThis, { window: { isSecureContext: true, addEventListener: () => undefined } });
  Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
});

/** What a touch of the page calls. */
function listenedTo(): readonly (() => void)[] {
  const touches: (() => void)[] = [];
  const addEventListener = (_: string, touch: () => void): void => void touches.push(touch);
  Object.assign(globalThis, { window: { isSecureContext: true, addEventListener } });
  return touches;
}

/** As another window does that has replaced the token. */
async function keepToken(token: string): Promise<void> {
  const { seal } = jest.requireActual<typeof Vault>('../keys/vault.ts');
  const key = await keyFromPassphrase(PASS, kept.record!.settings);
  const device = await seal(key, 'device', new TextEncoder().encode(token));
  kept.record = { ...kept.record!, device, rotation: undefined };
}

async function tokenKept(): Promise<string> {
  const { open } = jest.requireActual<typeof Vault>('../keys/vault.ts');
  const key = await keyFromPassphrase(PASS, kept.record!.settings);
  return new TextDecoder().decode(await open(key, 'device', kept.record!.device));
}

describe('a wallet in two windows', () => {
  it('is locked after a sleep of hours, although no timer ran during it', async () => {
    const touches = listenedTo();
    const one = await newWallet();
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 8 * 3600_000);
    touches[0]!();
    now.mockRestore();
    expect(one.state.kind).toBe('locked');
  });

  it('is locked after ten minutes without input, and not while it is used', async () => {
    const touches = listenedTo();
    const one = await newWindow();
    answer = registered(1);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      await one.setUp({ deviceName: 'Phone', passphrase: PASS });
      jest.advanceTimersByTime(9 * 60_000);
      touches[0]!();
      jest.advanceTimersByTime(9 * 60_000);
      expect(one.state.kind).toBe('unlocked');
      const { ended } = one.state as Unlocked;
      jest.advanceTimersByTime(60_000);
      expect([one.state.kind, ended.aborted]).toEqual(['locked', true]);
      await expect(one.withWords((words) => words)).rejects.toThrow('The wallet is locked.');
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps the new token although the wallet locks before its answer is there', async () => {
    const one = await newWallet();
    let arrive: (() => void) | undefined;
    answer = () => new Promise((resolve) => (arrive = () => resolve(json({ device_token: 'svc_dt_new' }))));
    const rotating = one.rotateToken().catch(() => undefined);
    await eventually(
      async () => arrive !== undefined,
      (isAsked) => isAsked,
      'the call',
    );
    // Idle time is up, or the event stream was just refused with the old token: OpenWallet's onRefused.
    one.lock();
    arrive!();
    await rotating;
    expect(await tokenKept()).toBe('svc_dt_new');
  });

  describe('a rotation without a response', () => {
    const lost = new TypeError('the network is away');
    const begun = async () => {
      const one = await newWallet();
      const calls: (readonly [string | null, string])[] = [];
      const answering = (respond: () => Promise<Response>) => {
        answer = (_url, { headers, body }) => {
          const { rotation_id } = JSON.parse(body as string) as { rotation_id: string };
          calls.push([new Headers(headers).get('authorization'), rotation_id]);
          return respond();
        };
      };
      answering(() => Promise.reject(lost));
      await expect(one.rotateToken()).rejects.toThrow();
      expect(await tokenKept()).toBe('svc_dt_1');
      return { one, calls, answering };
    };
    const newToken = async () => json({ device_token: 'svc_dt_new' });

    it('is repeated as it was', async () => {
      const { one, calls, answering } = await begun();
      answering(newToken);
      await one.rotateToken();
      expect(await tokenKept()).toBe('svc_dt_new');
      expect(calls[0]?.[1]).toMatch(/^[\w-]{36}$/);
      expect(calls).toEqual([calls[0], calls[0]]);
      // What was answered is over: the next one is another.
      await one.rotateToken();
      expect(calls[2]?.[1]).not.toBe(calls[0]?.[1]);
    });

    it('is repeated when the wallet is unlocked after the page was closed', async () => {
      const [{ calls, answering }, reopened] = [await begun(), await newWindow()];
      expect(JSON.stringify(kept.record)).not.toContain(calls[0]?.[1]);
      answering(newToken);
      await reopened.unlock(PASS);
      expect(calls).toEqual([calls[0], calls[0]]);
      expect([reopened.state.kind, await tokenKept()]).toEqual(['unlocked', 'svc_dt_new']);
      const { client } = reopened.state as Unlocked;
      answer = async (_url, { headers }) => json({ device: new Headers(headers).get('authorization') });
      expect(await client.readDevice()).toContain('svc_dt_new');
    });

    it('is repeated as soon as the old token is refused', async () => {
      const { one, calls, answering } = await begun();
      answering(newToken);
      await one.tokenRefused();
      expect(calls).toEqual([calls[0], calls[0]]);
      expect([one.state.kind, await tokenKept()]).toEqual(['unlocked', 'svc_dt_new']);
    });

    it('opens the wallet as another window has left it meanwhile', async () => {
      const [{ answering }, two] = [await begun(), await newWindow()];
      answering(() => keepToken('svc_dt_other').then(() => Promise.reject(lost)));
      await two.unlock(PASS);
      answer = async (_url, { headers }) => json({ device: new Headers(headers).get('authorization') });
      expect(await (two.state as Unlocked).client.readDevice()).toContain('svc_dt_other');
    });

    it('is repeated before the device is removed, which would stay there otherwise', async () => {
      const { one } = await begun();
      const removed = jest.fn((token: string | null) => token?.includes('svc_dt_new'));
      let isAway = true;
      answer = async (_url, { method, headers }) => {
        if (method !== 'DELETE') return isAway ? Promise.reject(lost) : newToken();
        const isKnown = removed(new Headers(headers).get('authorization'));
        return isKnown ? json({ device: {} }) : new Response(NO_TOKEN, { status: 401 });
      };
      await expect(one.remove()).rejects.toThrow('No.');
      expect(kept.record).toBeDefined();
      isAway = false;
      await one.remove();
      expect(removed).toHaveLastReturnedWith(true);
    });

    it('holds up nobody while the service is away, and is given up once it was refused', async () => {
      const { answering } = await begun();
      const reopened = await newWindow();
      await reopened.unlock(PASS);
      expect([reopened.state.kind, kept.record?.rotation]).toEqual(['unlocked', expect.anything()]);
      answering(async () => new Response(NO_TOKEN, { status: 401 }));
      await expect(reopened.rotateToken()).rejects.toThrow();
      expect([kept.record?.rotation, await tokenKept()]).toEqual([undefined, 'svc_dt_1']);
    });
  });

  it('does not put back the old token when another window changes something else', async () => {
    const one = await newWallet();
    await one.addAccount('Second');
    const two = await newWindow();
    await two.unlock(PASS);
    answer = async () => json({ device_token: 'svc_dt_new' });
    await one.rotateToken();
    await two.payFrom(1);
    expect(await tokenKept()).toBe('svc_dt_new');
  });

  it('is locked in the other window when one gets a new token', async () => {
    const one = await newWallet();
    const two = await newWindow();
    await two.unlock(PASS);
    answer = async () => json({ device_token: 'svc_dt_new' });
    await one.rotateToken();
    await eventually(
      async () => two.state.kind,
      (kind) => kind === 'locked',
      'the other window locked',
    );
    expect(one.state.kind).toBe('unlocked');
  });

  it('is locked if the service refuses a token that was replaced since', async () => {
    const one = await newWallet();
    await keepToken('svc_dt_new');
    await one.tokenRefused();
    expect(one.state.kind).toBe('locked');
  });

  it('still shows the words, and can be removed, if the service no longer knows the device', async () => {
    const one = await newWallet();
    await one.tokenRefused();
    expect((await one.withWords((words) => words)).split(' ')).toHaveLength(24);
    answer = async () => new Response('', { status: 503 });
    await expect(one.remove()).rejects.toThrow();
    expect(one.state.kind).toBe('unlocked');
    answer = async () => new Response(NO_TOKEN, { status: 401 });
    await one.remove();
    expect([one.state.kind, kept.record]).toEqual(['fresh', undefined]);
  });

  it('stays erased if another window erases it while this one opens it', async () => {
    const [one, two] = [await newWindow(), await newWindow()];
    answer = registered(1);
    await one.setUp({ deviceName: 'Phone', passphrase: PASS });
    await Promise.all([two.unlock(PASS), one.forget()]);
    expect(two.state.kind).toBe('fresh');
  });

  it('does not bring back an erased key', async () => {
    const one = await newWallet();
    const two = await newWindow();
    await two.unlock(PASS);
    await one.forget();
    await two.payFrom(0).catch(() => undefined);
    expect(kept.record).toBeUndefined();
  });

  it('does not lose an account that another window has made', async () => {
    const one = await newWallet();
    const two = await newWindow();
    await two.unlock(PASS);
    await one.addAccount('Savings');
    await two.wordsKept();
    expect(kept.record?.accounts.map(({ name }) => name)).toEqual(['Account 1', 'Savings']);
  });

  it('does not replace the key that another window has set up meanwhile', async () => {
    const [one, two] = [await newWindow(), await newWindow()];
    answer = registered(1);
    await one.setUp({ deviceName: 'Phone', passphrase: PASS });
    const address = kept.record!.accounts[0]!.address;
    answer = registered(2);
    await two.setUp({ deviceName: 'Again', passphrase: PASS }).catch(() => undefined);
    expect(kept.record!.accounts[0]!.address).toBe(address);
  });
});
