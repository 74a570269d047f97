import { created, revoked, rotated } from '../capabilities/connections/connection.fixtures';
import { type ConnectionEvent } from '../events/connection.events';
import { type Category } from '../kernel/aggregates';
import { type CommandRunner } from '../platform/event-store/run-command';
import { DerivedTokens } from '../platform/secrets/derived-tokens';
import { type ServiceSecret } from '../platform/secrets/service-secret';
import { connectionInUse } from './connection-in-use';
import { ConnectionTokens } from './connection-tokens';

const { connection_id: id } = created.data;
const opened = { ...created, data: { ...created.data, credential_id: 'crd_1' } } as ConnectionEvent;
const after = (...events: readonly ConnectionEvent[]) => events.reduce(connectionInUse.evolve, connectionInUse.initial);
const agentWhoseKeyIs = (compromised: boolean) => ({ credentials: new Map([['crd_1', { compromised }]]) });

const secret = { key: (purpose: string, number: number) => `${purpose} ${number}` } as unknown as ServiceSecret;
/** With this in the log. */
const tokensWith = (log: Partial<Record<Category, unknown>>): ConnectionTokens => {
  const fold = async ({ category }: { category: Category }) => ({ state: log[category] });
  return new ConnectionTokens({ fold } as unknown as CommandRunner, new DerivedTokens(secret));
};
const usable = { connection: after(opened), wallet_device: { status: 'active' }, agent: agentWhoseKeyIs(false) };

describe('the token of a connection', () => {
  it.each([
    ['the credential it was opened with is compromised', { agent: agentWhoseKeyIs(true) }, 'credential_revoked'],
    ['its device is removed', { wallet_device: undefined }, 'connection_revoked'],
    ['it is revoked', { connection: after(opened, revoked) }, 'connection_revoked'],
  ])('is not given out when %s', async (_, changes, code) => {
    const refusal = tokensWith({ ...usable, ...changes }).current(id);
    await expect(refusal).rejects.toMatchObject({ code });
  });

  it('opens its connection until it is replaced, also where it has opened it before', async () => {
    const tokens = tokensWith(usable);
    const token = await tokens.current(id);
    const opens = (text: string, ...events: readonly ConnectionEvent[]) => {
      const presented = tokens.presented(text);
      return presented !== undefined && presented.connectionId === id && tokens.opens(presented, after(...events));
    };
    const next = await tokensWith({ ...usable, connection: after(opened, rotated) }).current(id);
    expect(opens(next, opened)).toBe(false);
    for (let times = 0; times < 2; times += 1) expect(opens(token, opened)).toBe(true);
    expect(opens(token, opened, rotated)).toBe(false);
    expect(opens(next, opened, rotated)).toBe(true);
    // As where the log was lost: what opened a connection opens none that does not exist.
    expect(opens(token)).toBe(false);
  });

  it('of a connection that does not exist opens nothing', async () => {
    const tokens = tokensWith({});
    const guessed = tokens.presented(new DerivedTokens(secret).of('connection', id, { generation: 0, secret: 1 }));
    expect(guessed && tokens.opens(guessed, after())).toBe(false);
    expect(tokens.presented('no token')).toBeUndefined();
  });
});
