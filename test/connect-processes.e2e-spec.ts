import {
  ExchangeInvitation,
  ExchangeInvitationHandler,
} from '../src/capabilities/connect/connect-invitations.handlers';
import { readDraft } from '../src/http/input/draft';
import { ClaimInput } from '../src/capabilities/connect/connect.dto';
import { ClaimConnectKey, ClaimConnectKeyHandler } from '../src/capabilities/connect/connect-keys.handlers';
import { OpenInvitedConnection } from '../src/capabilities/connect/open-connection';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { READ_MODEL } from '../src/platform/read-model/read-model.port';
import { CommandRunner } from '../src/platform/event-store/run-command';
import { ConnectionTokens } from '../src/access/connection-tokens';
import { systemClock } from '../src/kernel/clock';
import { Refusal } from '../src/kernel/errors';
import { EnterCode } from '../src/capabilities/pairing/enter-code';
import { OpenPairedConnection } from '../src/capabilities/pairing/open-connection';
import { PairingCodes } from '../src/capabilities/pairing/pairing-code';
import {
  ApprovePairing,
  ApprovePairingHandler,
  ReadPairingSession,
  ReadPairingSessionHandler,
} from '../src/capabilities/pairing/pairing.handlers';
import { Projector } from '../src/platform/projecting/projector';
import { SCOPES } from './support/agents';
import { bearing, claimInvitation, decide, issueConnectKey, mustBe, startPairing } from './support/connections';
import { type Device, registerDevice } from './support/devices';
import { call } from './support/http';
import {
  type AgentId,
  type CredentialId,
  type InvitationId,
  type MerchantId,
  type PairingSessionId,
  type WalletDeviceId,
} from '../src/kernel/aggregates';
import { useConnectScene } from './support/use-service';

const PROCESSES = 50;
const context = { requestId: 'race', actor: { kind: 'test', id: 'racer' } };

/**
 * Within one process commands on one stream queue up. Here each caller has its own queue and cache, like several
 * processes on one store: only the append makes sure that a step happens once.
 */
describe('one-time steps in processes that share only the store', () => {
  let device: Device;

  const scene = useConnectScene();
  beforeAll(async () => {
    device = await registerDevice(scene.service);
  });

  const runner = (): CommandRunner => {
    const { app } = scene.service;
    const projector = app.get(Projector);
    return new CommandRunner(app.get<EventStore>(EVENT_STORE), systemClock, (at) => projector.progress.passed(at));
  };
  const door = (commands: CommandRunner): EnterCode =>
    new EnterCode(commands, scene.service.app.get(PairingCodes), systemClock);

  /** The result of each process, or the code of its refusal. */
  const race = <T>(act: (commands: CommandRunner) => Promise<T>): Promise<(T | string)[]> =>
    Promise.all(
      Array.from({ length: PROCESSES }, () =>
        act(runner()).catch((error: unknown) => {
          if (error instanceof Refusal) return error.code;
          throw error;
        }),
      ),
    );
  const others = (refusal: string): string[] => Array<string>(PROCESSES - 1).fill(refusal);
  const refusalsIn = (results: readonly unknown[]): unknown[] => results.filter((result) => typeof result === 'string');

  it('a key is claimed once', async () => {
    const key = await issueConnectKey(scene.service, device);
    const caller = {
      agentId: scene.agent.agentId as AgentId,
      agentName: scene.agentName,
      merchantId: scene.merchant.merchantId as MerchantId,
      credentialId: scene.agent.credentialId as CredentialId,
      allowedScopes: SCOPES,
    };
    const draft = readDraft(ClaimInput, { connect_key: key, requested_scopes: SCOPES });
    const results = await race((commands) =>
      new ClaimConnectKeyHandler(commands, systemClock).execute(new ClaimConnectKey(draft, caller, context)),
    );
    expect(refusalsIn(results)).toEqual(others('invalid_grant'));
  });

  it('an invitation is exchanged once', async () => {
    const { invitationId } = await claimInvitation(scene.service, scene.agent, device);
    mustBe(200, await decide(scene.service, device, invitationId, 'approve'));
    const { app } = scene.service;
    const results = await race((commands) => {
      const [opening, tokens] = [app.get(OpenInvitedConnection), app.get(ConnectionTokens)];
      const handler = new ExchangeInvitationHandler(commands, opening, tokens, app.get(READ_MODEL), systemClock);
      return handler.execute(new ExchangeInvitation(invitationId as InvitationId, context));
    });
    expect(refusalsIn(results)).toEqual(others('already_exchanged'));
  });

  it('a pairing is approved once, and its token fetched once', async () => {
    const { sessionId, code } = await startPairing(scene.service, scene.agent);
    const entry = { sessionId: sessionId as PairingSessionId, code, context };
    const { app } = scene.service;
    const [opening, tokens] = [app.get(OpenPairedConnection), app.get(ConnectionTokens)];
    const approvals = await race((commands) =>
      new ApprovePairingHandler(door(commands), opening, tokens).execute(
        new ApprovePairing(entry, device.deviceId as WalletDeviceId, null),
      ),
    );
    expect(refusalsIn(approvals)).toEqual(others('invalid_status_transition'));

    const agent = {
      agentId: scene.agent.agentId as AgentId,
      credentialId: scene.agent.credentialId as CredentialId,
    };
    const looks = await race((commands) =>
      new ReadPairingSessionHandler(door(commands), opening, commands, tokens, systemClock).execute(
        new ReadPairingSession(entry, agent, true),
      ),
    );
    const given = looks.filter((seen) => typeof seen !== 'string' && seen.connectionToken !== null);
    expect([looks.length, refusalsIn(looks), given.length]).toEqual([PROCESSES, [], 1]);
    const headers = bearing(await scene.agent.token());
    const late = await call(`${scene.service.url}/v1/pairing/sessions/${sessionId}?code=${code}`, { headers });
    expect(late.body).not.toHaveProperty('connection_token');
  });
});
