import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { connectInvitation } from '../src/capabilities/connect/connect-invitation';
import { CommandRunner } from '../src/platform/event-store/run-command';
import { derivedId } from '../src/kernel/ids';
import { SCOPES } from './support/agents';
import { bearing, claimInvitation, decide, issueConnectKey, mustBe, startPairing } from './support/connections';
import { type Device, registerDevice } from './support/devices';
import { AT_ONCE, countFigure } from './support/figures';
import { gate } from './support/gate';
import { type Answer, call } from './support/http';
import { useConnection } from './support/use-connection';
import { useConnectScene } from './support/use-service';

const MANY = 200;

/** Exactly one of many simultaneous callers succeeds. */
describe('one-time steps of connecting', () => {
  let device: Device;

  const scene = useConnectScene(undefined, { env: { LOG_LEVEL: 'warn' } });
  beforeAll(async () => {
    device = await registerDevice(scene.service);
  });

  const at = (path: string): string => `${scene.service.url}/v1/${path}`;
  const atOnce = (count: number, ask: (index: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
  const onlyOne = (answers: readonly Answer[], refusal: string, promise: string): Answer => {
    const winners = answers.filter(({ status }) => status < 300);
    const losers = answers.filter(({ status }) => status >= 300);
    countFigure(promise, answers.length, 1, winners.length);
    expect(winners).toHaveLength(1);
    expect(new Set(losers.map(({ status, body }) => `${status} ${body.error.code}`))).toEqual(new Set([refusal]));
    return winners[0] as Answer;
  };
  const typesIn = async (stream: string): Promise<string[]> =>
    (await scene.service.app.get<EventStore>(EVENT_STORE).readStream(stream)).map(({ type }) => type);

  it('a Connect Key is claimed once', async () => {
    const connect_key = await issueConnectKey(scene.service, device);
    const headers = bearing(await scene.agent.token());
    const body = { connect_key, requested_scopes: SCOPES };
    const answers = await atOnce(AT_ONCE, () => call(at('connect-invitations/claim'), { headers, body }));
    const winner = onlyOne(answers, '401 invalid_grant', 'a connect key is claimed once');
    const id = winner.body.connect_invitation.connect_invitation_id as string;
    expect(await typesIn(`connect_invitation-${id}`)).toEqual(['ConnectKeyIssued', 'ConnectInvitationClaimed']);
    const detail = await call(at(`connect-invitations/${id}`), { headers: bearing(winner.body.claim_token as string) });
    expect(detail.status).toBe(200);
  });

  it('an approved invitation is exchanged once', async () => {
    const { invitationId, claimToken } = await claimInvitation(scene.service, scene.agent, device);
    mustBe(200, await decide(scene.service, device, invitationId, 'approve'));
    const headers = bearing(claimToken);
    const answers = await atOnce(AT_ONCE, () =>
      call(at(`connect-invitations/${invitationId}/exchange`), { headers, body: {} }),
    );
    const winner = onlyOne(answers, '409 already_exchanged', 'an invitation is exchanged once');
    expect(await useConnection(scene.service, winner.body.connection_token as string)).toBe('accepted');
    expect(await typesIn(`connection-${derivedId('con', invitationId)}`)).toEqual(['ConnectionCreated']);
  });

  it('an invitation that is approved while it is exchanged keeps its token until the connection exists', async () => {
    const { invitationId, claimToken } = await claimInvitation(scene.service, scene.agent, device);
    const exchanging = () =>
      call(at(`connect-invitations/${invitationId}/exchange`), { headers: bearing(claimToken), body: {} });
    const { app } = scene.service;
    // The exchange has seen that nothing is approved yet, and decides between the approval and the new connection.
    const [hasLooked, goesOn, creates] = [gate(), gate(), gate()];
    const commands = app.get(CommandRunner);
    const fold = commands.fold.bind(commands);
    const looking = jest.spyOn(commands, 'fold').mockImplementation(async (of, id, moment) => {
      const seen = await fold(of, id, moment);
      if ((of as unknown) !== connectInvitation || id !== invitationId) return seen;
      hasLooked.open();
      await goesOn.opened;
      return seen;
    });
    const early = exchanging();
    await hasLooked.opened;
    looking.mockRestore();
    const store = app.get<EventStore>(EVENT_STORE);
    const append = store.append.bind(store);
    const creating = jest.spyOn(store, 'append').mockImplementation(async (stream, version, events) => {
      if (events[0]?.type === 'ConnectionCreated') {
        goesOn.open();
        await creates.opened;
      }
      return append(stream, version, events);
    });
    try {
      const approving = decide(scene.service, device, invitationId, 'approve');
      const refused = await early;
      expect([refused.status, refused.body.error?.code]).toEqual([409, 'approval_pending']);
      creates.open();
      mustBe(200, await approving);
      const { connection_token: token } = mustBe(200, await exchanging()).body;
      expect(await useConnection(scene.service, token as string)).toBe('accepted');
    } finally {
      creates.open();
      creating.mockRestore();
    }
  });

  it('an invitation that is approved many times creates one connection', async () => {
    const { invitationId } = await claimInvitation(scene.service, scene.agent, device);
    const answers = await atOnce(MANY, () => decide(scene.service, device, invitationId, 'approve'));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.connection))).size).toBe(1);
    expect(await typesIn(`connection-${derivedId('con', invitationId)}`)).toEqual(['ConnectionCreated']);
  });

  it('a pairing is approved once, whichever wallets try', async () => {
    const { sessionId, code } = await startPairing(scene.service, scene.agent);
    const devices = [device, await registerDevice(scene.service), await registerDevice(scene.service)];
    const answers = await atOnce(MANY, (index) => {
      const { headers } = devices[index % devices.length] as Device;
      return call(at(`pairing/sessions/${sessionId}/approve`), { headers, body: { code } });
    });
    const winner = onlyOne(answers, '409 invalid_status_transition', 'a pairing is approved once');
    expect(await useConnection(scene.service, winner.body.connection_token as string)).toBe('accepted');
    expect(await typesIn(`connection-${derivedId('con', sessionId)}`)).toEqual(['ConnectionCreated']);
  });

  it('the agent fetches the token of its pairing once', async () => {
    const { sessionId, code } = await startPairing(scene.service, scene.agent);
    const approval = at(`pairing/sessions/${sessionId}/approve`);
    mustBe(200, await call(approval, { headers: device.headers, body: { code } }));
    const headers = bearing(await scene.agent.token());
    const answers = await atOnce(MANY, () => call(at(`pairing/sessions/${sessionId}?code=${code}`), { headers }));
    expect(new Set(answers.map(({ status, body }) => [status, 'connection' in body].join()))).toEqual(
      new Set(['200,true']),
    );
    expect(answers.filter(({ body }) => 'connection_token' in body)).toHaveLength(1);
  });

  it('many simultaneous wrong codes count as five', async () => {
    const { sessionId } = await startPairing(scene.service, scene.agent);
    const { headers } = device;
    const answers = await atOnce(MANY, () =>
      call(at(`pairing/sessions/${sessionId}/approve`), { headers, body: { code: 'WRONG' } }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(await typesIn(`pairing_session-${sessionId}`)).toEqual([
      'PairingSessionStarted',
      ...Array<string>(5).fill('PairingCodeMissed'),
      'PairingSessionExpired',
    ]);
  });
});
