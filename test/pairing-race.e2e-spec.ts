import { CommandBus } from '@nestjs/cqrs';
import { PairingCodes } from '../src/capabilities/pairing/pairing-code';
import { ReadPairingSession } from '../src/capabilities/pairing/pairing.handlers';
import { bearing, startPairing } from './support/connections';
import { registerDevice } from './support/devices';
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
