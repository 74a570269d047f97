import { createIntent, hitl, issuesOf, optIn, proposePolicy, setAgentPaymentScene } from './support/agent-payments';
import { revokeCredential } from './support/agents';
import { call } from './support/http';
import { refusal } from './support/payments';
import { useScene } from './support/use-service';

describe('automation policies', () => {
  const { service, dns, scene } = useScene({ set: setAgentPaymentScene });

  const at = (path: string): string => `${service.url}/v1/${path}`;

  it('permit nothing over a connection that is paused or revoked', async () => {
    const other = await setAgentPaymentScene(service, dns);
    const { body } = await proposePolicy(service, other);
    const policyId = body.data.id as string;
    await optIn(service, other, policyId);
    const change = (method: string, status?: string) =>
      call(at(`connections/${other.connection.connectionId}`), {
        method,
        headers: other.device.headers,
        ...(status ? { body: { status } } : {}),
      });
    const read = async () =>
      (await call(at(`automation-policies/${policyId}`), { headers: other.headers })).body.data
        .connection_status as string;
    const ask = (initiator: string) => createIntent(service, other, { initiator });
    await change('PATCH', 'paused');
    expect([refusal(await ask('agent')), refusal(await ask('human')), await read()]).toEqual([
      [403, 'connection_paused'],
      [403, 'connection_paused'],
      'paused',
    ]);
    await change('PATCH', 'active');
    expect([(await ask('agent')).status, await read()]).toEqual([201, 'active']);
    await change('DELETE');
    expect(refusal(await ask('human'))).toEqual([403, 'connection_revoked']);
    expect(refusal(await proposePolicy(service, other))).toEqual([403, 'connection_revoked']);
    expect(refusal(await optIn(service, other, policyId))).toEqual([403, 'connection_revoked']);
  });

  it('are neither proposed nor agreed to over a connection that was opened with a compromised key', async () => {
    const other = await setAgentPaymentScene(service, dns);
    const { body } = await proposePolicy(service, other);
    const { agentId, credentialId } = other.agent;
    expect((await revokeCredential(service, other.merchant, agentId, credentialId)).status).toBe(200);
    for (const answer of [proposePolicy(service, other), optIn(service, other, body.data.id as string)]) {
      expect(refusal(await answer)).toEqual([403, 'credential_revoked']);
    }
  });

  it('keep their validity window in one spelling of time: others would not compare', async () => {
    const changes = { valid_from: '2020-01-01T02:00:00+02:00', valid_until: '2099-12-31T23:00:00-01:00' };
    const { body } = await proposePolicy(service, scene, changes);
    const window = { valid_from: '2020-01-01T00:00:00.000Z', valid_until: '2100-01-01T00:00:00.000Z' };
    expect(body.data).toMatchObject({ ...window, proposed: window });
  });

  it('end later than they begin, and not in the past, however they are set', async () => {
    const wrong = [
      [{ valid_from: '2031-01-01T00:00:00Z', valid_until: '2030-01-01T00:00:00Z' }, 'out_of_order'],
      [{ valid_until: '2021-01-01T00:00:00Z' }, 'in_the_past'],
    ] as const;
    const { body } = await proposePolicy(service, scene);
    const place = at(`automation-policies/${body.data.id as string}`);
    const { headers } = scene.merchant;
    for (const [terms, code] of wrong) {
      const patched = call(place, { method: 'PATCH', headers, body: { version: 1, ...terms } });
      for (const answer of await Promise.all([proposePolicy(service, scene, terms), patched])) {
        expect(issuesOf(answer)).toEqual([[code, 'valid_until']]);
      }
    }
  });

  it('name their asset as it is written on the network: in other letters it would never match', async () => {
    for (const [asset, code] of [
      ['xlm', 'asset_mismatch'],
      ['not a code', 'asset_not_supported'],
    ] as const) {
      const refused = await proposePolicy(service, scene, { asset, single_tx_limit: '0' });
      expect([refused.status, issuesOf(refused)]).toEqual([
        400,
        [
          ['invalid_amount', 'single_tx_limit'],
          [code, 'asset'],
        ],
      ]);
    }
    expect((await proposePolicy(service, scene, { asset: 'USDC' })).status).toBe(201);
  });

  it('change only at the version that the operator read, and need the person’s consent again', async () => {
    const other = await setAgentPaymentScene(service, dns);
    const propose = (allowlist: string[]) => proposePolicy(service, other, { allowlist });
    const { body } = await proposePolicy(service, other);
    const policyId = body.data.id as string;
    await optIn(service, other, policyId);
    const patch = (changes: object) =>
      call(at(`automation-policies/${policyId}`), { method: 'PATCH', headers: other.merchant.headers, body: changes });
    const stale = await patch({ version: 1, cumulative_limit: '50' });
    expect([refusal(stale), stale.body.error.details]).toEqual([[409, 'version_conflict'], { current_version: 2 }]);
    await createIntent(service, other, { initiator: 'agent', amount: '4' });
    const changed = await patch({ version: 2, cumulative_limit: '3' });
    expect(changed.body.data).toMatchObject({
      ...{
        status: 'awaiting_opt_in',
        version: 3,
        cumulative_limit: '3',
        reserved: '4',
        spent: '0',
        remaining: '0',
        opted_in_at: null,
      },
    });
    expect(refusal(await optIn(service, other, policyId, 'opt-in', { version: 2 }))).toEqual([409, 'version_conflict']);
    expect((await optIn(service, other, policyId, 'opt-in', { version: 3 })).body.data.status).toBe('active');
    expect(
      issuesOf(
        await patch({ version: 4, allowlist: ['rcp_x', other.recipient.recipientId, scene.recipient.recipientId] }),
      ),
    ).toEqual([
      ['resource_not_found', 'allowlist.0'],
      ['resource_not_found', 'allowlist.2'],
    ]);
    const { recipientId } = other.recipient;
    for (const send of [(allowlist: string[]) => patch({ version: 4, allowlist }), propose]) {
      expect(issuesOf(await send([recipientId, 'rcp_x', recipientId]))).toEqual([
        ['repeated', 'allowlist.2'],
        ['resource_not_found', 'allowlist.1'],
      ]);
    }
    const gone = await call(at(`automation-policies/${policyId}`), {
      method: 'DELETE',
      headers: other.merchant.headers,
    });
    expect([gone.status, gone.body.data.status]).toEqual([200, 'revoked']);
    expect(refusal(await patch({ version: 5, cumulative_limit: '9' }))).toEqual([409, 'invalid_status_transition']);
    expect(refusal(await optIn(service, other, policyId))).toEqual([409, 'invalid_status_transition']);
  });

  it('do not count for a person’s own payment, but must exist if they are named', async () => {
    const { body } = await proposePolicy(service, scene);
    const own = body.data.id as string;
    const stranger = await setAgentPaymentScene(service, dns);
    const foreign = (await proposePolicy(service, stranger)).body.data.id as string;
    for (const initiator of ['human', 'agent']) {
      for (const policy_id of ['pol_x', 'pol_01JZZZZZZZZZZZZZZZZZZZZZZZ', foreign]) {
        const answer = await createIntent(service, scene, { initiator, policy_id });
        expect(refusal(answer)).toEqual([404, 'resource_not_found']);
      }
    }
    // The same body after a refusal, now for a person to decide.
    const alone = { initiator: 'agent', policy_id: own };
    expect(hitl(await createIntent(service, scene, alone))[2]).toEqual(['no_active_policy']);
    const made = await createIntent(service, scene, { ...alone, initiator: 'human' });
    expect([made.status, made.body.data.policy_id]).toEqual([201, undefined]);
    const { spent } = (await call(at(`automation-policies/${own}`), { headers: scene.headers })).body.data;
    expect(spent).toBe('0');
  });
});
