import { createActiveRecipient, TESTNET_FACTS } from './support/agents';
import { type Answer, call } from './support/http';
import { signUpMerchant, type SignedUpMerchant, signUpPendingMerchant, verifyDomain } from './support/merchant';
import { recipientsOf } from './support/recipients';
import { useServiceWithDns } from './support/use-service';

const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
const issues = ({ body }: Answer): unknown[] =>
  (body.error.issues as { field: string; code: string }[]).map(({ field, code }) => [field, code]);

describe('recipients refuse', () => {
  let merchant: SignedUpMerchant;
  let mine: ReturnType<typeof recipientsOf>;

  const { service, dns } = useServiceWithDns();
  beforeAll(async () => {
    merchant = await signUpMerchant(service, { dns });
    mine = recipientsOf(service, merchant);
  });

  it('bad facts, all of them at once, together with other fields', async () => {
    const answer = await mine.create({
      name: '',
      asset: 'no such',
      address: 'GBAD',
      memo: 'x'.repeat(29),
      contract: '0x0',
    });
    expect(refusal(answer)).toEqual([400, 'validation_failed']);
    expect(issues(answer)).toEqual(
      expect.arrayContaining([
        ['name', 'too_short'],
        ['asset', 'asset_not_supported'],
        ['address', expect.any(String)],
        ['memo', expect.any(String)],
        ['contract', 'contract_not_accepted'],
        ['issuer', 'issuer_required'],
      ]),
    );
    expect(issues(answer)).toHaveLength(6);
  });

  it('an invisible name, because a person decides by it', async () => {
    const blanks = ['\u200b', '\u2060\ufe0f', '\u3164', '\u00ad \u115f', '\u2800\u2800', '\u{e0041}'];
    // Not marked as ignorable, but rendered as nothing: a note without a head, fillers, interlinear annotation anchors.
    for (const name of [...blanks, '\u{1d159}', '\u{16fe4}\u{13441}', '\ufff9\ufffb'])
      expect([name, issues(await mine.create({ name }))]).toEqual([name, [['name', 'too_short']]]);
    for (const name of ['👩\u200d🍳', '❤\ufe0f', 'می\u200cخواهم'])
      expect([name, (await mine.create({ name })).body.recipient?.name]).toEqual([name, name]);
  });

  it('facts that are missing or of the wrong type, each once', async () => {
    expect(issues(await call(mine.all, { headers: merchant.headers, body: {} })).sort()).toEqual([
      ['address', 'required'],
      ['asset', 'required'],
      ['name', 'required'],
      ['network', 'required'],
    ]);
    expect(issues(await mine.create({ network: 7, asset: null, address: [], memo: 5 })).sort()).toEqual([
      ['address', 'wrong_type'],
      ['asset', 'wrong_type'],
      ['memo', 'wrong_type'],
      ['network', 'wrong_type'],
    ]);
    // Null counts as absent, so this is a token without its contract.
    const token = { network: 'ethereum_mainnet', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', asset: 'DAI' };
    expect(issues(await mine.create({ ...token, contract: null, issuer: null }))).toEqual([
      ['contract', 'contract_required'],
    ]);
    expect(issues(await mine.create({ network: 'moon_mainnet' }))).toEqual([['network', 'unknown_network']]);
  });

  it('a token without its contract or issuer', async () => {
    const evm = { network: 'ethereum_mainnet', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' };
    expect(issues(await mine.create({ ...evm, asset: 'DAI' }))).toEqual([['contract', 'contract_required']]);
    expect(issues(await mine.create({ asset: 'USD' }))).toEqual([['issuer', 'issuer_required']]);
  });

  it('bad facts of a further version in the same way', async () => {
    const { id } = await mine.created();
    expect(issues(await mine.addVersion(id, { ...TESTNET_FACTS, address: 'GBAD' })).sort()).toEqual([
      ['address', expect.any(String)],
      ['version', 'required'],
    ]);
  });

  it('identity in the body', async () => {
    expect(issues(await mine.create({ merchant_id: merchant.merchantId }))).toEqual([
      ['merchant_id', 'identity_not_accepted'],
    ]);
  });

  it('evidence from a domain that is not their own and verified, without saying which', async () => {
    const other = await signUpMerchant(service, { dns });
    const { body } = await call(`${service.url}/v1/merchant-domains`, {
      headers: merchant.headers,
      body: { domain: 'pending.example.test', method: 'dns' },
    });
    const made = await mine.created();
    const sources = [other.domainId, body.domain.domain_id as string, 'dom_01JZZZZZZZZZZZZZZZZZZZZZZZ'];
    const answers = await Promise.all(sources.map((source_id) => mine.verify(made, { source_id })));
    expect(answers.map(issues)).toEqual(sources.map(() => [['source_id', 'not_a_verified_domain']]));
    const told = answers.map(({ body: { error } }) => ({ ...(error as object), request_id: '' }));
    expect(told[1]).toEqual(told[0]);
    expect(told[2]).toEqual(told[0]);
  });

  it('evidence of an unknown kind, and versions of others', async () => {
    const [made, other] = [await mine.created(), await mine.created()];
    expect(issues(await mine.verify(made, { type: 'handshake' }))).toEqual([['type', 'not_allowed']]);
    expect(issues(await mine.verify(made, { recipient_version_id: other.versionId, source_id: 'dom_none' }))).toEqual([
      ['recipient_version_id', 'unknown_version'],
      ['source_id', 'not_a_verified_domain'],
    ]);
  });

  it('activation without evidence or with evidence for another version', async () => {
    const [made, other] = [await mine.created(), await mine.created({ memo: 'other' })];
    const foreign = mine.evidenceIn(await mine.verify(other));
    expect(issues(await mine.activate(made, { ...foreign, version: 1 }))).toEqual([['evidence_id', 'not_verified']]);
    const own = mine.evidenceIn(await mine.verify(made));
    expect(issues(await mine.activate(made, { ...foreign, version: 2 }))).toEqual([
      ['evidence_id', 'mismatch'],
      ['evidence_digest', 'mismatch'],
    ]);
    const altered = own.evidence_digest.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    expect(issues(await mine.activate(made, { ...own, evidence_digest: altered }))).toEqual([
      ['evidence_digest', 'mismatch'],
    ]);
    expect((await mine.activate(made, own)).status).toBe(200);
  });

  it('every change that does not name the current version', async () => {
    const made = await mine.created();
    for (const version of [2, 3]) {
      const stale = { ...made, version };
      for (const answer of [await mine.verify(stale), await mine.addVersion(made.id, { ...TESTNET_FACTS, version })]) {
        expect([refusal(answer), answer.body.error.details]).toEqual([
          [409, 'version_conflict'],
          { current_version: 1 },
        ]);
      }
    }
    const evidence = mine.evidenceIn(await mine.verify(made));
    const answer = await mine.activate(made, { ...evidence, version: 1 });
    expect([refusal(answer), answer.body.error.details]).toEqual([[409, 'version_conflict'], { current_version: 2 }]);
  });

  it('new evidence for an active version, but accept it for an inactive one', async () => {
    const domainId = await verifyDomain(service, merchant, 'second.example.test', dns);
    const made = await mine.created();
    const first = await mine.verify(made);
    const second = await mine.verify({ ...made, version: 2 }, { source_id: domainId });
    expect(second.body.evidence.evidence_digest).not.toBe(first.body.evidence.evidence_digest);
    expect(issues(await mine.activate(made, { ...mine.evidenceIn(first), version: 3 }))).toHaveLength(2);
    await mine.activate(made, mine.evidenceIn(second));
    expect(issues(await mine.verify({ ...made, version: 4 }))).toEqual([['recipient_version_id', 'already_active']]);
  });

  it('a network that is not enabled, but only at activation', async () => {
    const made = await mine.created({ network: 'stellar_public' });
    const verified = await mine.verify(made);
    expect(verified.status).toBe(200);
    expect(refusal(await mine.activate(made, mine.evidenceIn(verified)))).toEqual([409, 'network_not_enabled']);
    expect((await mine.read(made.id)).body.recipient).toMatchObject({ active_version_id: null, version: 2 });
  });

  it('another merchant’s ids exactly like ids that do not exist', async () => {
    const { recipientId, recipientVersionId } = await createActiveRecipient(
      service,
      await signUpMerchant(service, { dns }),
    );
    const headers = { ...merchant.headers, 'x-request-id': 'same' };
    const evidence = { evidence_id: 'evd_1', evidence_digest: 'sha256:0', version: 4 };
    const claim = {
      recipient_version_id: recipientVersionId,
      type: 'domain_proof',
      source_id: merchant.domainId,
      version: 4,
    };
    const calls = (id: string, versionId: string): Promise<Answer>[] => [
      call(`${mine.all}/${id}`, { headers }),
      call(`${mine.all}/${id}/versions`, { headers, body: { ...TESTNET_FACTS, version: 4 } }),
      call(`${mine.all}/${id}/verify`, { headers, body: claim }),
      call(`${mine.all}/${id}/versions/${versionId}/activate`, { headers, body: evidence }),
    ];
    const theirs = await Promise.all(calls(recipientId, recipientVersionId));
    const nobodys = await Promise.all(calls('rcp_01JZZZZZZZZZZZZZZZZZZZZZZZ', 'rcv_01JZZZZZZZZZZZZZZZZZZZZZZZ'));
    expect(theirs.map(refusal)).toEqual(theirs.map(() => [404, 'resource_not_found']));
    expect(theirs.map(({ text }) => text)).toEqual(nobodys.map(({ text }) => text));
    const own = await mine.created();
    expect(refusal(await mine.activate({ ...own, versionId: recipientVersionId }, evidence))).toEqual([
      404,
      'resource_not_found',
    ]);
  });

  it('callers without a session, without the CSRF proof, or without a verified domain', async () => {
    const pending = await signUpPendingMerchant(service);
    const body = { name: 'Example Shop', ...TESTNET_FACTS };
    expect(refusal(await call(mine.all, { body }))).toEqual([401, 'unauthenticated']);
    expect(refusal(await call(mine.all, { headers: { cookie: merchant.cookie }, body }))).toEqual([403, 'csrf_failed']);
    expect(refusal(await call(mine.all, { headers: pending.headers, body }))).toEqual([403, 'merchant_not_active']);
    expect(refusal(await call(mine.all, { headers: pending.headers }))).toEqual([403, 'merchant_not_active']);
  });

  it('an invalid page', async () => {
    expect(issues(await mine.list('limit=0&cursor=!'))).toEqual([
      ['limit', 'out_of_range'],
      ['cursor', 'malformed'],
    ]);
  });
});
