import { createHash } from 'node:crypto';
import { canonicalJson } from '../src/kernel/canonical-json';
import { createActiveRecipient, TESTNET_FACTS } from './support/agents';
import { type DnsResponder, startDnsResponder } from './support/dns-responder';
import { type Answer, call } from './support/http';
import { signUpMerchant, type SignedUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { recipientsOf } from './support/recipients';
import { startTestService, type TestService } from './support/service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

describeOnEachPair('recipients', (start) => {
  let service: TestService;
  let dns: DnsResponder;
  let merchant: SignedUpMerchant;
  let mine: ReturnType<typeof recipientsOf>;

  beforeAll(async () => {
    dns = await startDnsResponder();
    service = await start({ env: { DNS_SERVERS: dns.server } });
    merchant = await signUpMerchant(service, { dns });
    mine = recipientsOf(service, merchant);
  });
  afterAll(() => Promise.all([service.stopAndForget(), dns.close()]));

  it('are created with a first version that fixes all payment facts', async () => {
    const { status, body } = await mine.create({ memo: 'invoice 7' });
    expect(status).toBe(201);
    const recipient_version = {
      recipient_version_id: expect.stringMatching(/^rcv_[0-9A-HJKMNP-TV-Z]{26}$/),
      number: 1,
      status: 'created',
      rail: 'stellar_xlm',
      ...TESTNET_FACTS,
      memo: 'invoice 7',
      contract: null,
      issuer: null,
      decimals: 7,
      chain_id: null,
      evidence: null,
      created_at: expect.stringMatching(TIME),
      activated_at: null,
    };
    expect(body).toEqual({
      ok: true,
      recipient: {
        recipient_id: expect.stringMatching(/^rcp_[0-9A-HJKMNP-TV-Z]{26}$/),
        name: 'Example Shop',
        active_version_id: null,
        versions: [recipient_version],
        created_at: expect.stringMatching(TIME),
        updated_at: body.recipient.created_at,
        version: 1,
      },
      recipient_version,
    });
    expect((await mine.read(body.recipient.recipient_id as string)).body.recipient).toEqual(body.recipient);
  });

  it('accept what responses show: null for an absent fact', async () => {
    const { body } = await mine.create({ memo: null, contract: null, issuer: null });
    const { network, asset, address, memo, contract, issuer } = body.recipient_version as Record<string, unknown>;
    expect([memo, contract, issuer]).toEqual([null, null, null]);
    const { recipient_id, version } = body.recipient as { recipient_id: string; version: number };
    const facts = { network, asset, address, memo, contract, issuer, version };
    const again = await mine.addVersion(recipient_id, facts);
    expect([again.status, again.body.recipient_version]).toEqual([
      201,
      expect.objectContaining({ number: 2, memo: null, contract: null, issuer: null }),
    ]);
  });

  it('go from created through verified to active', async () => {
    const made = await mine.created();
    const verified = await mine.verify(made);
    expect(verified.status).toBe(200);
    expect(verified.body.recipient_version).toMatchObject({ status: 'verified', evidence: verified.body.evidence });
    expect(verified.body.evidence).toEqual({
      evidence_id: expect.stringMatching(/^evd_[0-9A-HJKMNP-TV-Z]{26}$/),
      evidence_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      proof: {
        type: 'domain_proof',
        domain_id: merchant.domainId,
        domain: merchant.domain,
        method: 'dns',
        verified_at: expect.stringMatching(TIME),
      },
      verified_at: expect.stringMatching(TIME),
    });
    const activated = await mine.activate(made, mine.evidenceIn(verified));
    expect(activated.status).toBe(200);
    expect(activated.body.recipient).toMatchObject({ active_version_id: made.versionId, version: 3 });
    expect(activated.body.recipient_version).toMatchObject({
      status: 'active',
      activated_at: expect.stringMatching(TIME),
    });
  });

  it('have a digest that anyone can recompute from the response', async () => {
    const { body } = await mine.verify(await mine.created({ memo: '1' }));
    const { rail, network, asset, address, memo, contract, issuer, decimals, chain_id } =
      body.recipient_version as Record<string, unknown>;
    const facts = { rail, network, asset, address, memo, contract, issuer, decimals, chain_id };
    const text = canonicalJson({ facts, proof: body.evidence.proof as object });
    expect(body.evidence.evidence_digest).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`);
  });

  it('keep the active version until another is activated and supersedes it', async () => {
    const first = await createActiveRecipient(service, merchant);
    const added = await mine.addVersion(first.recipientId, { ...TESTNET_FACTS, memo: 'new', version: 3 });
    expect(added.status).toBe(201);
    expect(added.body.recipient_version).toMatchObject({ number: 2, status: 'created', memo: 'new' });
    expect(added.body.recipient.active_version_id).toBe(first.recipientVersionId);
    const second = {
      id: first.recipientId,
      versionId: added.body.recipient_version.recipient_version_id as string,
      version: 4,
    };
    const { body } = await mine.activate(second, mine.evidenceIn(await mine.verify(second)));
    expect(body.recipient.active_version_id).toBe(second.versionId);
    expect((body.recipient.versions as { status: string }[]).map(({ status }) => status)).toEqual([
      'superseded',
      'active',
    ]);
  });

  it('are retired for good, and have no active version then', async () => {
    const { recipientId: id, recipientVersionId: versionId } = await createActiveRecipient(service, merchant);
    const stale = await mine.retire({ id, versionId, version: 2 });
    expect(refusal(stale)).toEqual([409, 'version_conflict']);
    const wrong = await mine.retire({ id, versionId, version: 2 }, { withdraw_pending: 'yes' });
    expect(wrong.body.error.issues.map(({ field }: { field: string }) => field)).toEqual([
      'withdraw_pending',
      'version',
    ]);
    const { status, body } = await mine.retire({ id, versionId, version: 3 });
    expect([status, body.recipient.active_version_id, body.recipient.version]).toEqual([200, null, 4]);
    expect(body.recipient_version).toMatchObject({ status: 'retired', retired_at: expect.stringMatching(TIME) });
    expect((await mine.read(id)).body.recipient).toEqual(body.recipient);

    const { evidence_id, evidence_digest } = body.recipient_version.evidence as Record<string, string>;
    const again = await mine.activate({ id, versionId, version: 4 }, { evidence_id, evidence_digest, version: 4 });
    expect(refusal(again)).toEqual([409, 'recipient_version_not_active']);
    expect(refusal(await mine.verify({ id, versionId, version: 4 }))).toEqual([409, 'recipient_version_not_active']);
    const repeated = await mine.retire({ id, versionId, version: 4 });
    expect([repeated.status, repeated.body]).toEqual([200, body]);
    const stranger = recipientsOf(service, await signUpMerchant(service, { dns }));
    expect(refusal(await stranger.retire({ id, versionId, version: 4 }))).toEqual([404, 'resource_not_found']);
  });

  it('let exactly one of fifty changes to one version win', async () => {
    const { id, version } = await mine.created();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => mine.addVersion(id, { ...TESTNET_FACTS, memo: `${index}`, version })),
    );
    const conflicts = answers.filter(({ status }) => status === 409);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(conflicts.map(refusal)).toEqual(Array.from({ length: 49 }, () => [409, 'version_conflict']));
    expect(conflicts[0]?.body.error.details).toEqual({ current_version: 2 });
    expect((await mine.read(id)).body.recipient.versions).toHaveLength(2);
  });

  it('are listed newest first, in pages, to their merchant only', async () => {
    const other = recipientsOf(service, await signUpMerchant(service, { dns }));
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift((await other.created()).id);
    const { headers } = await signUpMerchant(service, { dns });
    expect((await call(other.all, { headers })).body).toEqual({ ok: true, recipients: [], next_cursor: null });

    const listed: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await other.list(`limit=2${cursor && `&cursor=${cursor}`}`);
      listed.push(...(body.recipients as { recipient_id: string }[]).map(({ recipient_id }) => recipient_id));
      cursor = body.next_cursor as string | null;
    }
    expect(listed).toEqual(ids);
  });

  it('answer a repeated step as before, without a new version', async () => {
    const made = await mine.created();
    const verified = await mine.verify(made);
    const again = await mine.verify({ ...made, version: 2 });
    expect([again.status, again.body]).toEqual([200, verified.body]);
    const activated = await mine.activate(made, mine.evidenceIn(verified));
    const activatedAgain = await mine.activate(made, { ...mine.evidenceIn(verified), version: 3 });
    expect([activatedAgain.status, activatedAgain.body]).toEqual([200, activated.body]);
  });
});

describe('recipients on a service that enables more networks', () => {
  it('are activated on those networks', async () => {
    const dns = await startDnsResponder();
    const env = { DNS_SERVERS: dns.server, ENABLED_NETWORKS: 'stellar_testnet,stellar_public' };
    const service = await startTestService({ env });
    const merchant = await signUpMerchant(service, { dns });
    const { recipientId } = await createActiveRecipient(service, merchant, { network: 'stellar_public' });
    expect(recipientId).toMatch(/^rcp_/);
    await Promise.all([service.stopAndForget(), dns.close()]);
  });
});
