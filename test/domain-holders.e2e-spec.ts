import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { createApiKey, createIntent } from './support/agent-payments';
import { createActiveRecipient } from './support/agents';
import { eventually } from './support/eventually';
import { type Answer, call } from './support/http';
import {
  grantFor,
  type Operator,
  signIn,
  signUpMerchant,
  signUpPendingMerchant,
  type SignedUpMerchant,
  verifyDomain,
} from './support/merchant';
import { MovingClock } from './support/moving-clock';
import { describeOnEachPair } from './support/pairs';
import {
  createPayment,
  eventsOfType,
  issues,
  type PaymentScene,
  readPayment,
  refusal,
  setPaymentScene,
} from './support/payments';
import { recipientsOf } from './support/recipients';
import { useServiceWithDns } from './support/use-service';

const DAY_MS = 24 * 3_600_000;

describeOnEachPair('the holders of a domain', (start) => {
  const clock = new MovingClock();
  const { service, dns } = useServiceWithDns({ start, clock });

  const domainsOf = ({ headers }: Pick<Operator, 'headers'>) => {
    const place = (id: string): string => `${service.url}/v1/merchant-domains/${id}`;
    return {
      read: async (id: string) => (await call(place(id), { headers })).body.domain as Record<string, string>,
      check: (id: string): Promise<Answer> => call(`${place(id)}/verify`, { headers, body: {} }),
      giveUp: (id: string): Promise<Answer> => call(place(id), { method: 'DELETE', headers }),
      register: (domain: string): Promise<Answer> =>
        call(`${service.url}/v1/merchant-domains`, { headers, body: { domain, method: 'dns' } }),
    };
  };
  /** Both challenges are published from now on: whoever proves the name may do so again. */
  const publishBoth = async (...answers: readonly Answer[]): Promise<void> => {
    const challenges = answers.map(({ body }) => body.challenge as { record_name: string; record_value: string });
    dns.set(challenges[0]?.record_name ?? '', { TXT: challenges.map(({ record_value }) => record_value) });
  };
  const record = (domain: string): string => `_svc-challenge.${domain}`;

  /** Two merchants that have both registered one name, whose challenges are both published; the first has proven it. */
  const rivals = async (): Promise<{
    scene: PaymentScene;
    ours: SignedUpMerchant;
    other: Operator;
    otherId: string;
  }> => {
    const scene = await setPaymentScene(service, dns, { clock });
    const ours = scene.merchant;
    const other = await signUpPendingMerchant(service);
    const registered = await domainsOf(other).register(ours.domain);
    const [own] = (await service.app.get<EventStore>(EVENT_STORE).readStream(`merchant-${ours.merchantId}`)).filter(
      ({ type }) => type === 'MerchantDomainRegistered',
    );
    const { challenge } = own?.data as { challenge: string };
    const published = registered.body.challenge as { record_name: string; record_value: string };
    dns.set(published.record_name, { TXT: [`svc-domain-verification=${challenge}`, published.record_value] });
    return { scene, ours, other, otherId: registered.body.domain.domain_id as string };
  };

  it('is the merchant that proved it last: the older proof is superseded and vouches for nothing', async () => {
    const { scene, ours, other, otherId } = await rivals();
    const before = await createPayment(service, scene);
    expect(before.body.payment_request.payee.verified).toBe(true);

    expect((await domainsOf(other).check(otherId)).body).toMatchObject({
      domain: { status: 'verified' },
      merchant: { status: 'active' },
    });
    const lost = await domainsOf(ours).read(ours.domainId);
    expect(lost).toMatchObject({ status: 'superseded', superseded_at: expect.any(String) });
    expect(JSON.stringify(lost)).not.toContain(other.merchantId);

    const { body } = await createPayment(service, scene);
    expect(body.payment_request.payee).toEqual({ name: 'Example Shop', verified: false, domain: ours.domain });
    const seen = await readPayment(service, scene.device, before.body.payment_request.request_id as string);
    expect(seen.body.review.notices[0]).toMatchObject({ code: 'domain_proven_by_another', severity: 'danger' });
    const key = await createApiKey(service, ours);
    const agentScene = { ...scene, ...key, headers: { 'x-svc-api-key': key.secret } };
    const payment = await createIntent(service, agentScene, { initiator: 'human' });
    expect(payment.body.data.payee).toMatchObject({ verified: false });

    const mine = recipientsOf(service, ours);
    const made = await mine.created();
    expect(issues(await mine.verify(made))).toEqual([['not_a_verified_domain', 'source_id']]);

    // Nothing tells the one who the other is.
    const text = await eventually(
      async () => (await call(`${service.url}/v1/audit/events?limit=200`, { headers: ours.headers })).text,
      (events) => events.includes('MerchantDomainSuperseded'),
      'the audit feed’s entry',
    );
    expect(text).not.toContain(other.merchantId);
    expect(text).not.toContain(otherId);
    const [recorded] = (await eventsOfType(service, 'MerchantDomainSuperseded')).slice(-1);
    expect(recorded?.metadata).toMatchObject({ actor: { kind: 'service', id: 'domain-names' } });
    expect(recorded?.metadata.causation_id ?? null).toBeNull();
  });

  it('turns round when the superseded proof is made again, and evidence counts again', async () => {
    const { scene, ours, other, otherId } = await rivals();
    const mine = recipientsOf(service, ours);
    const made = await mine.created();
    const verified = await mine.verify(made);
    await domainsOf(other).check(otherId);
    const gone = await mine.activate(made, mine.evidenceIn(verified));
    expect(issues(gone)).toEqual([['proof_gone', 'evidence_id']]);

    const again = await domainsOf(ours).check(ours.domainId);
    expect([again.status, again.body.domain.status]).toEqual([200, 'verified']);
    expect(again.body.domain).not.toHaveProperty('superseded_at');
    expect(await domainsOf(other).read(otherId)).toMatchObject({ status: 'superseded' });
    expect((await createPayment(service, scene)).body.payment_request.payee.verified).toBe(true);
    expect((await mine.activate(made, mine.evidenceIn(verified))).status).toBe(200);
  });

  it('is one of two that prove it at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = await Promise.all([signUpPendingMerchant(service), signUpPendingMerchant(service)]);
      const name = `raced-${round}-${clock.now().getTime()}.example.test`;
      const answers = await Promise.all([domainsOf(one).register(name), domainsOf(two).register(name)]);
      await publishBoth(...answers);
      const ids = answers.map(({ body }) => body.domain.domain_id as string) as [string, string];
      const checks = await Promise.all([domainsOf(one).check(ids[0]), domainsOf(two).check(ids[1])]);
      expect(checks.map(({ status }) => status)).toEqual([200, 200]);
      const after = await Promise.all([domainsOf(one).read(ids[0]), domainsOf(two).read(ids[1])]);
      expect(after.map(({ status }) => status).sort()).toEqual(['superseded', 'verified']);
    }
  });

  it('may give it up: its recipients stay active, unverified', async () => {
    const scene = await setPaymentScene(service, dns, { clock });
    const { merchant } = scene;
    const domains = domainsOf(merchant);
    const stranger = await signUpMerchant(service, { dns });
    expect(refusal(await domainsOf(stranger).giveUp(merchant.domainId))).toEqual([404, 'resource_not_found']);
    const left = await domains.giveUp(merchant.domainId);
    expect([left.status, left.body.domain]).toEqual([
      200,
      expect.objectContaining({ status: 'given_up', given_up_at: expect.any(String) }),
    ]);
    const repeated = await domains.giveUp(merchant.domainId);
    expect([repeated.status, repeated.body]).toEqual([200, left.body]);
    const { body } = await createPayment(service, scene);
    expect(body.payment_request.payee.verified).toBe(false);
    expect(refusal(await domains.check(merchant.domainId))).toEqual([410, 'challenge_expired']);
    const mine = recipientsOf(service, merchant);
    expect(issues(await mine.verify(await mine.created()))).toEqual([['not_a_verified_domain', 'source_id']]);

    expect(await verifyDomain(service, merchant, merchant.domain, dns)).toBe(merchant.domainId);
    expect((await createPayment(service, scene)).body.payment_request.payee.verified).toBe(true);
  });

  it('is looked up again on request, and nothing changes where the challenge is gone', async () => {
    const merchant = await signUpMerchant(service, { dns });
    const domains = domainsOf(merchant);
    const before = await domains.read(merchant.domainId);
    expect(before['last_seen_at']).toBe(before['verified_at']);
    const seen = await domains.check(merchant.domainId);
    expect(seen.body.domain).toEqual({ ...before, last_seen_at: expect.any(String) });
    expect(Date.parse(seen.body.domain.last_seen_at)).toBeGreaterThan(Date.parse(before['last_seen_at'] ?? ''));
    dns.set(record(merchant.domain), { TXT: ['something else'] });
    expect(refusal(await domains.check(merchant.domainId))).toEqual([422, 'domain_proof_failed']);
    expect(await domains.read(merchant.domainId)).toEqual(seen.body.domain);
  });

  it('is looked up once a week; unseen for 30 days, the proof is no evidence for new versions', async () => {
    const kept = await signUpMerchant(service, { dns });
    const lapsed = await signUpMerchant(service, { dns });
    const again = async ({ email }: Operator): Promise<Operator> => {
      const { grant, merchants } = await grantFor(service, email);
      return signIn(service, email, { grant, choice: merchants[0]?.choice });
    };
    const before = recipientsOf(service, lapsed);
    const verifiedBefore = await before.created();
    const evidence = before.evidenceIn(await before.verify(verifiedBefore));
    await createActiveRecipient(service, lapsed);
    dns.set(record(lapsed.domain), { TXT: ['something else'] });

    clock.skip(7 * DAY_MS + 60_000);
    const seenSince = clock.now().getTime() - DAY_MS;
    const keeper = domainsOf(await again(kept));
    await eventually(
      () => keeper.read(kept.domainId),
      ({ last_seen_at }) => Date.parse(last_seen_at ?? '') > seenSince,
      'the weekly look',
    );
    await eventually(
      () => eventsOfType(service, 'DomainNameMissed'),
      (events) => JSON.stringify(events.map(({ data }) => data)).includes(lapsed.domainId),
      'the look that found nothing',
    );

    clock.skip(23 * DAY_MS);
    const returned = await again(lapsed);
    const mine = recipientsOf(service, { ...lapsed, ...returned });
    expect(refusal(await mine.verify(await mine.created()))).toEqual([409, 'domain_proof_stale']);
    expect(refusal(await mine.activate(verifiedBefore, evidence))).toEqual([409, 'domain_proof_stale']);
    expect((await domainsOf(returned).read(lapsed.domainId))['status']).toBe('verified');

    const stored = await service.app.get<EventStore>(EVENT_STORE).readStream(`merchant-${lapsed.merchantId}`);
    const { challenge } = stored.find(({ type }) => type === 'MerchantDomainRegistered')?.data as { challenge: string };
    dns.set(record(lapsed.domain), { TXT: [`svc-domain-verification=${challenge}`] });
    expect((await domainsOf(returned).check(lapsed.domainId)).status).toBe(200);
    expect((await mine.verify(await mine.created())).status).toBe(200);
    expect((await mine.activate(verifiedBefore, evidence)).status).toBe(200);
  });
});
