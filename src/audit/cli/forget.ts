import { normalizedEmail } from '../../capabilities/merchant-access/email-address';
import { AccountIdentity } from '../../capabilities/merchant-access/account-identity';
import { systemClock, timestamp } from '../../kernel/clock';
import { type Config } from '../../platform/config';
import { openPersonalKeyStore } from '../../platform/read-model/read-model.module';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { secretThere } from '../../platform/secrets/secret-file';
import { learnFrom, readSecretHistory } from '../../platform/secrets/secret-history';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { is } from '../../events';
import { EXIT, type ExitCode, type AuditCall, UsageError, withLog } from './audit-call';
import { type AccountId, isIdIn } from '../../kernel/aggregates';

/**
 * Destroys the key under which a person's address is sealed in the log. The log itself is not touched: it stays
 * provable, and the service may run meanwhile. It no longer admits the person (see ForgottenPeople).
 */
export async function forgetPerson(call: AuditCall, who: string): Promise<ExitCode> {
  const { config, note, out } = call;
  const { accountId, events } = await withLog(call, async (store) => {
    const accountId = await accountOf(who, config, store);
    return { accountId, events: await store.readStream(`merchant_account-${accountId}`) };
  });
  if (events.length === 0) {
    note('there is no such account');
    return EXIT.wrong;
  }
  const keyStore = await openPersonalKeyStore(config);
  try {
    await keyStore.destroy(accountId, timestamp(systemClock.now()));
  } finally {
    await keyStore.close();
  }
  out(`Nobody can read the address of ${accountId} any more. Older backups of the keys still hold its key.`);
  out('Its sessions, grants and mailed links no longer work. Names and texts in the log are not sealed, and stay.');
  for (const event of events) {
    if (!is(event, 'MerchantAccountRegistered')) continue;
    out(
      `Event ${event.metadata.event_id} is from before accounts had keys: whoever has the service secret can still open it.`,
    );
  }
  return EXIT.fine;
}

/** An address is mapped to its account with the log's first secret; an id needs none. */
async function accountOf(who: string, { serviceSecret, dataDir }: Config, store: EventStore): Promise<AccountId> {
  if (isIdIn('merchant_account', who)) return who;
  const address = normalizedEmail(who);
  if (address === undefined) throw new UsageError('forget needs an account id (mac_…) or an e-mail address');
  // Never create a secret here: under another secret, the address maps to no account.
  const known = serviceSecret ?? secretThere(dataDir);
  if (known === undefined)
    throw new UsageError(`there is no service secret in ${dataDir}: give the account id instead`);
  const secret = ServiceSecret.pendingHistory(known);
  learnFrom(await readSecretHistory(store), secret);
  return new AccountIdentity(secret).idOf(address);
}
