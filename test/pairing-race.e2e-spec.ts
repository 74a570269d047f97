import { CommandBus } from '@nestjs/cqrs';
import { OpenPairedConnection } from '../src/capabilities/pairing/open-connection';
import { PairingCodes } from '../src/capabilities/pairing/pairing-code';
import { ReadPairingSession } from '../src/capabilities/pairing/pairing.handlers';
import { bearing, mustBe, startPairing } from './support/connections';
import { registerDevice } from './support/devices';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { useConnectScene } from './support/use-service';

describeOnEachPair('a pairing that coincides with something else', (start) => {
  const scene = useConnectScene(start);

  it('is not shown as approved without the token, even if it is approved while its agent polls', async () => {
    const device = await registerDevice(scene.service);
    const { sessionId, code } = await startPairing(scene.service, scene.agent);
    const session = `${scene.service.url}/v1/pairing/sessions/${sessionId}`;
    const commands = scene.service.app.get(CommandBus);
    const execute = commands.execute.bind(commands);
    let approved: number | undefined;
    jest.spyOn(commands, 'execute').mockImplementation(async (command) => {
      const done: unknown = await execute(command);
      if (command instanceof ReadPairingSession && approved === undefined) {
        approved = 0;
        const body = { device_id: device.deviceId, token: device.token, code };
        approved = (await call(`${session}/approve`, { body })).status;
      }
      return done;
    });
    const headers = bearing(await scene.agent.token());
    const { body } = await call(`${session}?code=${encodeURIComponent(code)}`, { headers });
    jest.restoreAllMocks();
    expect(approved).toBe(200);
    expect([body.pairing_session.status, typeof body.connection_token]).toEqual(['approved', 'string']);
  });

  it('hands its token to one of two calls of its agent that both found it not yet handed out', async () => {
    const { headers: wallet } = await registerDevice(scene.service);
    const { sessionId, code } = await startPairing(scene.service, scene.agent);
    const session = `${scene.service.url}/v1/pairing/sessions/${sessionId}`;
    mustBe(200, await call(`${session}/approve`, { headers: wallet, body: { code } }));
    const opening = scene.service.app.get(OpenPairedConnection);
    const open = opening.of.bind(opening);
    let calls = 0;
    // Each call has read the session by now; neither goes on before the other has.
    jest.spyOn(opening, 'of').mockImplementation(async (id) => {
      calls += 1;
      await eventually(
        () => Promise.resolve(calls),
        (count) => count > 1,
        'both calls have read the session',
      );
      return open(id);
    });
    const headers = bearing(await scene.agent.token());
    const look = () => call(`${session}?code=${encodeURIComponent(code)}`, { headers });
    const answers = await Promise.all([look(), look()]);
    jest.restoreAllMocks();
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.filter(({ body }) => 'connection_token' in body)).toHaveLength(1);
  });

  it('is not found by its code if another one has the same, because nobody could tell which is meant', async () => {
    const { headers } = await registerDevice(scene.service);
    const codes = scene.service.app.get(PairingCodes);
    const { code } = await startPairing(scene.service, scene.agent);
    const find = () => call(`${scene.service.url}/v1/pairing/sessions?code=${encodeURIComponent(code)}`, { headers });
    expect((await find()).status).toBe(200);
    const newCode = jest.spyOn(codes, 'newCode').mockReturnValue(code);
    await startPairing(scene.service, scene.agent);
    newCode.mockRestore();
    expect((await find()).status).toBe(404);
  });
});
