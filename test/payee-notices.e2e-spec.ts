import { createActiveRecipient, TESTNET_FACTS } from './support/agents';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { signUpMerchant, signUpPendingMerchant } from './support/merchant';
import { mailsTo } from './support/outbox';
import { describeOnEachPair } from './support/pairs';
import { recipientsOf } from './support/recipients';
import { useServiceWithDns } from './support/use-service';
import { activeEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

const OTHER_ADDRESS = 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI';

describeOnEachPair('what a merchant is told of its payees', (start) => {
  let receiver: WebhookReceiver;
  const { service, dns } = useServiceWithDns({ start, env: { ALLOW_PRIVATE_NETWORKS: 'true' } });
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver.close());

  const noticesTo = (email: string) => mailsTo(service, email).filter(({ link }) => !link.includes('#/verify'));
  const mailed = (email: string, count: number) =>
    eventually(
      async () => noticesTo(email),
      (notices) => notices.length >= count,
      `notice ${count}`,
    );

  it('is every activation and retirement, by mail, in the feed and by webhook, with the same bytes', async () => {
    const merchant = await signUpMerchant(service, { dns });
    await activeEndpoint(service, merchant, receiver.url);
    const mine = recipientsOf(service, merchant);
    const { recipientId: id, recipientVersionId: first } = await createActiveRecipient(service, merchant, {
      name: 'Tea & <b>Co</b>',
    });
    const added = await mine.addVersion(id, { ...TESTNET_FACTS, address: OTHER_ADDRESS, memo: '7', version: 3 });
    const second = { id, versionId: added.body.recipient_version.recipient_version_id as string, version: 4 };
    await mine.activate(second, mine.evidenceIn(await mine.verify(second)));
    await mine.retire({ id, versionId: first, version: 6 });
    await mine.retire({ ...second, version: 7 }, { withdraw_pending: true });

    const notices = await mailed(merchant.email, 4);
    expect(notices.map(({ subject, link }) => [subject, link])).toEqual([
      ['“Tea & <b>Co</b>” can be paid now', `http://svc.test/portal/#/payees/${id}`],
      ['“Tea & <b>Co</b>” is now paid at other details', `http://svc.test/portal/#/payees/${id}`],
      ['Version 1 of “Tea & <b>Co</b>” was retired', `http://svc.test/portal/#/payees/${id}`],
      ['Version 2 of “Tea & <b>Co</b>” was retired', `http://svc.test/portal/#/payees/${id}`],
    ]);
    expect(notices[1]?.text).toContain(`XLM on stellar_testnet at ${OTHER_ADDRESS}, memo 7`);
    expect(notices[3]?.text).toContain('is withdrawn');

    await receiver.until(() => receiver.received.length === 4);
    const { text, body } = await call(`${service.url}/v1/events?since=1`, { headers: merchant.headers });
    expect(
      body.events.map(({ type, data }: any) => [
        type,
        data.recipient_version_id,
        data.recipient.active_version_id,
        data.recipient_version.status,
        data.superseded_version_id ?? data.withdraw_pending,
      ]),
    ).toEqual([
      ['recipient.version_activated', first, first, 'active', undefined],
      ['recipient.version_activated', second.versionId, second.versionId, 'active', first],
      ['recipient.version_retired', first, second.versionId, 'retired', false],
      ['recipient.version_retired', second.versionId, null, 'retired', true],
    ]);
    receiver.received.forEach(({ body: sent }, index) =>
      expect(text).toContain(`{"cursor":${index + 2},${sent.slice(1)}`),
    );
    expect(noticesTo(merchant.email)).toHaveLength(4);
  });

  it('is that a name was proven by another, which both are told, and neither who the other is', async () => {
    const ours = await signUpMerchant(service, { dns });
    const other = await signUpPendingMerchant(service);
    const domains = `${service.url}/v1/merchant-domains`;
    const { body } = await call(domains, { headers: other.headers, body: { domain: ours.domain, method: 'dns' } });
    dns.set(body.challenge.record_name as string, { TXT: [body.challenge.record_value as string] });
    const theirId = body.domain.domain_id as string;
    await call(`${domains}/${theirId}/verify`, { headers: other.headers, body: {} });

    const [lost] = await mailed(ours.email, 1);
    const [won] = await mailed(other.email, 1);
    expect([lost?.subject, won?.subject]).toEqual([
      `Another merchant has proven ${ours.domain}`,
      `You have proven ${ours.domain}`,
    ]);
    expect(lost?.text).not.toContain(other.email);
    const feedOf = async ({ headers }: typeof other) =>
      (await call(`${service.url}/v1/events`, { headers })).body.events.map(({ type, data }: any) => [
        type,
        data.domain_id,
        data.merchant_domain.status,
      ]);
    expect(await feedOf(ours)).toEqual([
      ['merchant_domain.verified', ours.domainId, 'verified'],
      ['merchant_domain.superseded', ours.domainId, 'superseded'],
    ]);
    expect(await feedOf(other)).toEqual([['merchant_domain.verified', theirId, 'verified']]);
  });
});
