import { type Logger } from 'pino';
import { type Config } from '../../platform/config';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type CommandRunner } from '../../platform/event-store/run-command';
import { type Fold } from '../../kernel/decider';
import { type Mailer } from '../../platform/mail/mailer.port';
import { type PersonalData } from '../../platform/secrets/personal-data';
import { type Reactor } from '../../platform/reacting/reactor';
import { type Reactors } from '../../platform/reacting/reactors';
import { at, tomorrow } from './webhook-endpoint.fixtures';
import { WebhookNoticesReactor } from './webhook-notices.reactor';

const VERSION = 3;
const disabled = (id: string): RecordedEvent =>
  ({
    ...{ type: 'WebhookEndpointDisabled', stream: `webhook_endpoint-${id}`, position: 1n, version: VERSION },
    data: { endpoint_id: id, merchant_id: 'mer_1', reason: 'gone', disabled_at: at },
    metadata: { event_id: `evt_${id}` },
  }) as unknown as RecordedEvent;

function world(now = at) {
  const enabled = new Set<string>();
  const logged: string[] = [];
  const mailed: string[] = [];
  const state = { isMailDown: true };
  const known: Readonly<Record<string, (id: string) => unknown>> = {
    merchant: () => 'mac_1',
    merchant_account: () => ({ keyId: 'k', sealed: 's' }),
    webhook_endpoint: (id) => ({
      status: enabled.has(id) ? 'active' : 'disabled',
      disabledIn: VERSION,
      url: `https://${id}.example/hook`,
    }),
  };
  const fold = async ({ category }: Fold<unknown, never>, id: string) => ({ state: known[category]?.(id) });
  const send: Mailer['send'] = async ({ subject }) => {
    if (state.isMailDown) throw new Error('the mail server is down');
    mailed.push(subject);
  };
  const log = (_: object, text: string): void => void logged.push(text);
  let reactor: Reactor | undefined;
  new WebhookNoticesReactor(
    { add: (added: Reactor) => void (reactor = added) } as unknown as Reactors,
    { fold } as unknown as CommandRunner,
    { unseal: async () => 'a@shop.example' } as unknown as PersonalData,
    { send } as Mailer,
    { baseUrl: 'https://svc.example' } as Config,
    { now: () => new Date(now) },
    { warn: log, info: log } as unknown as Logger,
  ).onModuleInit();
  const react = (id: string) => reactor?.react(disabled(id)) ?? Promise.resolve();
  return { react, enabled, logged, mailed, state };
}

describe('the notice that an endpoint was switched off', () => {
  it('has five attempts, whatever became of the one before it', async () => {
    const { react, enabled, logged } = world();
    for (let attempt = 1; attempt < 5; attempt += 1) await expect(react('one')).rejects.toThrow('down');
    // The merchant switches it on again, so that its notice is no longer due.
    enabled.add('one');
    await react('one');
    for (let attempt = 1; attempt < 5; attempt += 1) await expect(react('two')).rejects.toThrow('down');
    expect(logged).toEqual([]);
    await react('two');
    expect(logged).toEqual(['the notice could not be mailed']);
  });

  it('is mailed while it is news', async () => {
    const { react, mailed, logged, state } = world();
    state.isMailDown = false;
    await react('one');
    expect([mailed, logged]).toEqual([['Your webhook endpoint at one.example was switched off'], []]);
  });

  it('leaves a line in the log if it is too old to be mailed, but still true', async () => {
    const { react, enabled, mailed, logged, state } = world(tomorrow);
    state.isMailDown = false;
    await react('one');
    enabled.add('two');
    await react('two');
    expect([mailed, logged]).toEqual([[], ['the notice is more than a day old and is not mailed']]);
  });
});
