import { newKeyPair } from './support/agent-client';
import { addCredential, changeAgent, createActiveAgent, createAgent, revokeCredential, SCOPES } from './support/agents';
import { type Answer, call } from './support/http';
import { signUpMerchant, type SignedUpMerchant, signUpPendingMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { useServiceWithDns } from './support/use-service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
const issues = ({ body }: Answer): unknown[] =>
  (body.error.issues as { field: string; code: string }[]).map(({ field, code }) => [field, code]);

describeOnEachPair('agents', (start) => {
  let merchant: SignedUpMerchant;
  let agents: string;

  const { service, dns } = useServiceWithDns({ start });
  beforeAll(async () => {
    merchant = await signUpMerchant(service, { dns });
    agents = `${service.url}/v1/agents`;
  });

  const input = { name: 'Checkout', runtime: 'node', environment: 'testnet', allowed_scopes: [SCOPES[0], SCOPES[1]] };
  const create = (body: object, { headers } = merchant): Promise<Answer> => call(agents, { headers, body });
  const read = (id: string, { headers } = merchant): Promise<Answer> => call(`${agents}/${id}`, { headers });
  const patch = (id: string, body: object, { headers } = merchant): Promise<Answer> =>
    call(`${agents}/${id}`, { method: 'PATCH', headers, body });

  it('are registered as pending', async () => {
    const { status, body } = await create(input);
    expect(status).toBe(201);
    expect(body).toEqual({
      ok: true,
      agent: {
        agent_id: expect.stringMatching(/^agt_[0-9A-HJKMNP-TV-Z]{26}$/),
        ...input,
        status: 'pending',
        credentials: [],
        created_at: expect.stringMatching(TIME),
        updated_at: body.agent.created_at,
        version: 1,
      },
    });
    expect((await read(body.agent.agent_id as string)).body).toEqual(body);
  });

  it('report every problem of a bad input at once', async () => {
    const scopes = [SCOPES[0], 'payment.requests.approve', SCOPES[0], 7];
    const answer = await create({ name: ' ', runtime: '', environment: 'mainnet', allowed_scopes: scopes });
    expect(refusal(answer)).toEqual([400, 'validation_failed']);
    expect(issues(answer)).toEqual([
      ['name', 'too_short'],
      ['runtime', 'too_short'],
      ['environment', 'not_allowed'],
      ['allowed_scopes.1', 'not_allowed'],
      ['allowed_scopes.3', 'wrong_type'],
      ['allowed_scopes.2', 'repeated'],
    ]);
    expect(issues(await create({ ...input, allowed_scopes: [] }))).toEqual([['allowed_scopes', 'too_short']]);
    expect(issues(await create({ ...input, agent_id: 'agt_1' }))).toEqual([['agent_id', 'identity_not_accepted']]);
  });

  it('become active only with an active credential', async () => {
    const agentId = await createAgent(service, merchant);
    expect(refusal(await patch(agentId, { version: 1, status: 'active' }))).toEqual([409, 'agent_credential_required']);
    await addCredential(service, merchant, agentId, newKeyPair());
    const { status, body } = await patch(agentId, { version: 1, status: 'active' });
    expect(status).toBe(200);
    expect(body.agent).toMatchObject({ status: 'active', version: 2 });
  });

  it('do not become active again after their only credential was revoked', async () => {
    const { agentId, credentialId } = await createActiveAgent(service, merchant);
    await changeAgent(service, merchant, agentId, { status: 'suspended' });
    await revokeCredential(service, merchant, agentId, credentialId);
    const answer = await changeAgent(service, merchant, agentId, { status: 'active' });
    expect(refusal(answer)).toEqual([409, 'agent_credential_required']);
  });

  it('change name, scopes and status in one call', async () => {
    const { agentId } = await createActiveAgent(service, merchant);
    const changes = { name: 'Billing', allowed_scopes: [SCOPES[3]], status: 'suspended' };
    const { body } = await patch(agentId, { version: 2, ...changes });
    expect(body.agent).toMatchObject({ ...changes, version: 4 });
    expect((await read(agentId)).body).toEqual(body);
    const nothing = await patch(agentId, { version: 4, ...changes });
    expect([nothing.status, nothing.body]).toEqual([200, body]);
  });

  it('refuse a change with bad fields or no version', async () => {
    const agentId = await createAgent(service, merchant);
    expect(issues(await patch(agentId, { status: 'pending', name: '', allowed_scopes: 'all' }))).toEqual([
      ['version', 'required'],
      ['status', 'not_allowed'],
      ['name', 'too_short'],
      ['allowed_scopes', 'wrong_type'],
    ]);
  });

  it('stay revoked', async () => {
    const { agentId } = await createActiveAgent(service, merchant);
    expect((await changeAgent(service, merchant, agentId, { status: 'revoked' })).body.agent.status).toBe('revoked');
    for (const wish of [{ status: 'active' }, { status: 'suspended' }, { name: 'Other' }]) {
      const answer = await changeAgent(service, merchant, agentId, wish);
      expect(refusal(answer)).toEqual([409, 'invalid_status_transition']);
      expect(answer.body.error.details).toEqual({ current_status: 'revoked' });
    }
    expect((await changeAgent(service, merchant, agentId, { status: 'revoked' })).status).toBe(200);
  });

  it('let exactly one of fifty changes to one version win', async () => {
    const agentId = await createAgent(service, merchant);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => patch(agentId, { version: 1, name: `Agent ${index}` })),
    );
    const [won, ...more] = answers.filter(({ status }) => status === 200);
    const lost = answers.filter(({ status }) => status !== 200);
    expect(more).toEqual([]);
    expect(lost.map((answer) => [...refusal(answer), answer.body.error.details])).toEqual(
      Array.from({ length: 49 }, () => [409, 'version_conflict', { current_version: 2 }]),
    );
    expect((await read(agentId)).body.agent).toEqual(won?.body.agent);
  });

  it('let exactly one of fifty identical changes to one version win', async () => {
    const agentId = await createAgent(service, merchant);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => patch(agentId, { version: 1, status: 'suspended' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error?.code === 'version_conflict')).toHaveLength(49);
  });

  it('are listed newest first, in pages, to their merchant only', async () => {
    const other = await signUpMerchant(service, { dns });
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.unshift(await createAgent(service, other));
    const first = await call(`${agents}?limit=2`, { headers: other.headers });
    const second = await call(`${agents}?limit=2&cursor=${first.body.next_cursor}`, { headers: other.headers });
    const listed = [...first.body.agents, ...second.body.agents] as { agent_id: string }[];
    expect(listed.map(({ agent_id }) => agent_id)).toEqual(ids);
    expect(second.body.next_cursor).toBeNull();
  });

  it('of another merchant are answered exactly like ids that do not exist', async () => {
    const { agentId } = await createActiveAgent(service, await signUpMerchant(service, { dns }));
    const headers = { ...merchant.headers, 'x-request-id': 'same' };
    const answers = (id: string): Promise<Answer[]> =>
      Promise.all([
        read(id, { ...merchant, headers }),
        patch(id, { version: 2, name: 'Mine' }, { ...merchant, headers }),
      ]);
    const [theirs, nobodys] = [await answers(agentId), await answers('agt_01JZZZZZZZZZZZZZZZZZZZZZZZ')];
    expect(theirs.map(refusal)).toEqual(theirs.map(() => [404, 'resource_not_found']));
    expect(theirs.map(({ text }) => text)).toEqual(nobodys.map(({ text }) => text));
  });

  it('require a merchant with a verified domain', async () => {
    const pending = await signUpPendingMerchant(service);
    expect(refusal(await call(agents, { body: input }))).toEqual([401, 'unauthenticated']);
    const { cookie } = merchant;
    expect(refusal(await call(agents, { headers: { cookie }, body: input }))).toEqual([403, 'csrf_failed']);
    expect(refusal(await call(agents, { headers: pending.headers, body: input }))).toEqual([
      403,
      'merchant_not_active',
    ]);
  });
});
