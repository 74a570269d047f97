import { newTokenFor } from '../src/platform/secrets/bound-tokens';
import { newId } from '../src/kernel/ids';
import { bearing, claimInvitation, claimKey, decide, exchange, issueConnectKey, mustBe } from './support/connections';
import { type Device, registerDevice } from './support/devices';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { useConnection } from './support/use-connection';
import { useConnectScene } from './support/use-service';

const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

describeOnEachPair('deciding on a claimed Connect Key', (start) => {
  let device: Device;
  let now = Date.now();

  const scene = useConnectScene(start, { clock: { now: () => new Date(now) } });
  beforeEach(async () => {
    device = await registerDevice(scene.service);
  });

  const at = (path: string): string => `${scene.service.url}/v1/${path}`;
  const invitation = (id: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
    call(at(`connect-invitations/${id}`), { headers });
  const claim = (scopes?: readonly string[]) => claimInvitation(scene.service, scene.agent, device, scopes);
  const later = (minutes: number): void => void (now += minutes * 60_000);

  describe('the decision', () => {
    it('may narrow the scopes but never widen them', async () => {
      const { invitationId, claimToken } = await claim(['payment.requests.create', 'payment.requests.read']);
      const wider = await decide(scene.service, device, invitationId, 'approve', {
        scopes: ['payment.requests.read', 'transaction_contexts.read'],
      });
      expect(refusal(wider)).toEqual([403, 'scope_not_allowed']);
      expect(refusal(await decide(scene.service, device, invitationId, 'approve', { scopes: [] }))).toEqual([
        400,
        'validation_failed',
      ]);
      const narrowed = await decide(scene.service, device, invitationId, 'approve', {
        scopes: ['payment.requests.read'],
      });
      expect(narrowed.body.connection.scopes).toEqual(['payment.requests.read']);
      const { body } = await exchange(scene.service, { invitationId, claimToken });
      expect(await useConnection(scene.service, body.connection_token as string, 'payment.requests.read')).toBe(
        'accepted',
      );
      expect(await useConnection(scene.service, body.connection_token as string, 'payment.requests.create')).toBe(
        'insufficient_scope',
      );
    });

    it('may be repeated but not changed', async () => {
      const { invitationId } = await claim();
      const first = await decide(scene.service, device, invitationId, 'approve');
      const again = await decide(scene.service, device, invitationId, 'approve');
      expect([again.status, again.body]).toEqual([200, first.body]);
      for (const [decision, body] of [
        ['reject', {}],
        ['approve', { scopes: ['payment.requests.read'] }],
      ] as const) {
        const changed = await decide(scene.service, device, invitationId, decision, body);
        expect(refusal(changed)).toEqual([409, 'invalid_status_transition']);
        expect(changed.body.error.details).toEqual({ current_status: 'approved' });
      }
    });

    it('may be a rejection', async () => {
      const claimed = await claim();
      const first = await decide(scene.service, device, claimed.invitationId, 'reject');
      expect(first.body.connect_invitation.status).toBe('rejected');
      const again = await decide(scene.service, device, claimed.invitationId, 'reject');
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(refusal(await exchange(scene.service, claimed))).toEqual([403, 'invitation_rejected']);
      const late = await decide(scene.service, device, claimed.invitationId, 'approve');
      expect(refusal(late)).toEqual([409, 'invalid_status_transition']);
      expect(late.body.error.details).toEqual({ current_status: 'rejected' });
      expect((await call(at('connections'), { headers: device.headers })).body.connections).toEqual([]);
    });

    it('belongs to the wallet that issued the key: for any other the invitation does not exist', async () => {
      const { invitationId, claimToken } = await claim();
      const other = await registerDevice(scene.service);
      const headers = { ...other.headers, 'x-request-id': 'same' };
      for (const [path, body] of [
        ['', undefined],
        ['/approve', {}],
        ['/reject', {}],
      ] as const) {
        const [strange, absent] = await Promise.all(
          [invitationId, newId('inv')].map((id) =>
            call(at(`connect-invitations/${id}${path}`), { headers, ...(body ? { body } : {}) }),
          ),
        );
        expect(refusal(strange as Answer)).toEqual([404, 'resource_not_found']);
        expect(strange?.text).toBe(absent?.text);
      }
      const approval = at(`connect-invitations/${invitationId}/approve`);
      expect(refusal(await call(approval, { headers: bearing(claimToken), body: {} }))).toEqual([
        401,
        'unauthenticated',
      ]);
      expect((await invitation(invitationId, bearing(claimToken))).body.connect_invitation.status).toBe('claimed');
    });

    it('must be made within ten minutes of the claim', async () => {
      const [one, two] = [await claim(), await claim()];
      later(10);
      expect(refusal(await decide(scene.service, device, one.invitationId, 'approve'))).toEqual([
        410,
        'invitation_expired',
      ]);
      expect(refusal(await decide(scene.service, device, two.invitationId, 'reject'))).toEqual([
        410,
        'invitation_expired',
      ]);
      expect((await invitation(one.invitationId, bearing(one.claimToken))).body.connect_invitation.status).toBe(
        'expired',
      );
      expect((await invitation(two.invitationId, device.headers)).body.connect_invitation.status).toBe('expired');
      const waiting = await call(at('connect-invitations'), { headers: device.headers });
      expect(waiting.body.connect_invitations).toEqual([]);
    });
  });

  describe('the claim token', () => {
    it('opens only its own invitation', async () => {
      const [one, two] = [await claim(), await claim()];
      const headers = { ...bearing(one.claimToken), 'x-request-id': 'same' };
      for (const path of ['', '/exchange']) {
        const [strange, absent] = await Promise.all(
          [two.invitationId, newId('inv')].map((id) =>
            call(at(`connect-invitations/${id}${path}`), { headers, ...(path ? { body: {} } : {}) }),
          ),
        );
        expect(refusal(strange as Answer)).toEqual([404, 'resource_not_found']);
        expect(strange?.text).toBe(absent?.text);
      }
      for (const wrong of [newTokenFor('claim', one.invitationId), newTokenFor('claim', newId('inv')), 'svc_cl_x']) {
        expect(refusal(await invitation(one.invitationId, bearing(wrong)))).toEqual([401, 'invalid_token']);
      }
      const none = await call(at(`connect-invitations/${one.invitationId}`));
      expect(refusal(none)).toEqual([401, 'unauthenticated']);
      expect(refusal(await exchange(scene.service, { ...one, claimToken: await scene.agent.token() }))).toEqual([
        401,
        'unauthenticated',
      ]);
    });

    it('stops waiting once the wallet that would decide is removed', async () => {
      const claimed = await claim();
      expect(refusal(await exchange(scene.service, claimed))).toEqual([409, 'approval_pending']);
      const { headers, deviceId } = device;
      mustBe(200, await call(at(`wallet-devices/${deviceId}`), { method: 'DELETE', headers, body: {} }));
      expect(refusal(await exchange(scene.service, claimed))).toEqual([403, 'invitation_rejected']);
      // What it shows agrees with what it answers: somebody who polls it would wait until it expires.
      const shown = await invitation(claimed.invitationId, bearing(claimed.claimToken));
      expect([shown.status, shown.body.connect_invitation.status]).toEqual([200, 'rejected']);
    });

    it('must be exchanged within ten minutes of the claim', async () => {
      const claimed = await claim();
      mustBe(200, await decide(scene.service, device, claimed.invitationId, 'approve'));
      later(10);
      expect(refusal(await exchange(scene.service, claimed))).toEqual([410, 'invitation_expired']);
    });

    it('is not stored anywhere, and neither are the key and the connection token', async () => {
      const key = await issueConnectKey(scene.service, device);
      const { body } = await claimKey(scene.service, scene.agent, key);
      const id = body.connect_invitation.connect_invitation_id as string;
      await decide(scene.service, device, id, 'approve');
      const exchanged = await exchange(scene.service, { invitationId: id, claimToken: body.claim_token as string });
      const secrets = [key, body.claim_token, exchanged.body.connection_token] as string[];
      const kept = [...(await scene.everything()), scene.service.log()].join('\n');
      expect(kept).toContain(id);
      for (const secret of secrets) expect(kept).not.toContain(secret);
    });
  });
});
