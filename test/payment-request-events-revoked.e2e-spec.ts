import { pause } from '../src/kernel/pause';
import { NewsBell } from '../src/http/feeds/news-bell';
import { changeAgent, revokeCredential } from './support/agents';
import { openEventStream } from './support/event-stream';
import { type Answer, call } from './support/http';
import { MovingClock } from './support/moving-clock';
import { createPayment, type PaymentScene, pollEvents, refusal, setPaymentScene } from './support/payments';
import { useServiceWithDns } from './support/use-service';

const YEAR_MS = 365 * 24 * 3_600_000;

describe('polled events end for a caller that may no longer see them', () => {
  const clock = new MovingClock();
  const { service, dns } = useServiceWithDns({ clock });

  const waiting = async (count: number): Promise<void> => {
    while (service.app.get(NewsBell).waiters !== count) await pause(5);
  };
  const connectionOf = (by: PaymentScene): string => `${service.url}/v1/connections/${by.connection.connectionId}`;
  type Ending = (by: PaymentScene) => Promise<Answer>;
  const endings: [string, Ending, number, string][] = [
    [
      'when the wallet pauses the connection',
      (by) => call(connectionOf(by), { method: 'PATCH', headers: by.device.headers, body: { status: 'paused' } }),
      403,
      'connection_paused',
    ],
    [
      'when the wallet revokes the connection',
      (by) => call(connectionOf(by), { method: 'DELETE', headers: by.device.headers, body: {} }),
      403,
      'connection_revoked',
    ],
    [
      'when the token is rotated',
      (by) => call(`${connectionOf(by)}/rotate-token`, { headers: by.device.headers, body: {} }),
      401,
      'invalid_token',
    ],
    [
      'when the device is removed',
      (by) =>
        call(`${service.url}/v1/wallet-devices/${by.device.deviceId}`, {
          method: 'DELETE',
          headers: by.device.headers,
          body: {},
        }),
      403,
      'connection_revoked',
    ],
    [
      'when the agent is suspended',
      (by) => changeAgent(service, by.merchant, by.agent.agentId, { status: 'suspended' }),
      403,
      'agent_not_active',
    ],
    [
      'when its credential is revoked',
      (by) => revokeCredential(service, by.merchant, by.agent.agentId, by.agent.credentialId),
      403,
      'credential_revoked',
    ],
  ];

  it.each(endings)('%s', async (_, ending, status, code) => {
    const by = await setPaymentScene(service, dns, { clock });
    const poll = pollEvents(service, by, 'since=0&wait=30');
    const reader = await openEventStream(`${service.url}/v1/payment-requests/events`, by.headers);
    await waiting(2);
    expect((await ending(by)).status).toBe(200);
    expect(refusal(await poll)).toEqual([status, code]);
    await reader.ended;
    expect(reader.events).toEqual([]);
    await waiting(0);
  });

  it('when its credential has expired, which no event announces: the next event is not shown', async () => {
    const by = await setPaymentScene(service, dns, { clock });
    expect((await createPayment(service, by)).status).toBe(201);
    const poll = pollEvents(service, by, 'since=1&wait=30');
    const reader = await openEventStream(`${service.url}/v1/payment-requests/events?since=1`, by.headers);
    await waiting(2);
    // The request expires too, and that is the event.
    clock.skip(2 * YEAR_MS);
    expect(refusal(await poll)).toEqual([403, 'agent_not_active']);
    await reader.ended;
    expect(reader.events).toEqual([]);
    await waiting(0);
  });
});
