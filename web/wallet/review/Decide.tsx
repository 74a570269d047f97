import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { serviceNow } from '../../live/clock.ts';
import { Address } from '../../ui/Address.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { SelectField, TextField } from '../../ui/Field.tsx';
import { Card, Muted, Notice, Stack } from '../../ui/Layout.tsx';
import { useNow } from '../../ui/Time.tsx';
import { network } from '../device/network.ts';
import { useWallet } from '../device/use-wallet.ts';
import { networkName } from '../networks.ts';
import { approve } from './approve.ts';
import { isDangerous } from './Notices.tsx';
import { type Payment } from './payments.ts';
import { Reject } from './Reject.tsx';
import { SignAnyway } from './SignAnyway.tsx';
import { isTooLittle } from './stroops.ts';
import styles from './Decide.module.css';

/** The last step before money moves; a dangerous payment takes two. */
export function Decide({ payment }: Readonly<{ payment: Payment }>) {
  const unlocked = useWallet();
  const queries = useQueryClient();
  const { accounts, paysFrom } = unlocked.record;
  const [index, setIndex] = useState(paysFrom);
  const [sequence, setSequence] = useState('');
  const [asks, setAsks] = useState<'danger' | 'reject'>();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const isUnderWay = useRef(false);
  useNow(1_000);
  const account = accounts.find((one) => one.index === index) ?? accounts[0];
  const isOver = Date.parse(payment.expiresAt) <= serviceNow();
  const canSign = payment.facts.network === 'stellar_testnet';

  const sign = async (): Promise<void> => {
    if (account === undefined || isUnderWay.current) return;
    isUnderWay.current = true;
    setAsks(undefined);
    setPending(true);
    setError(undefined);
    try {
      await approve(unlocked, payment, account, sequence || undefined);
    } catch (caught) {
      if (!unlocked.ended.aborted) setError(caught);
    }
    isUnderWay.current = false;
    setPending(false);
    await queries.invalidateQueries();
  };

  if (isOver) return <Notice title="Too late">This request has expired. The agent can ask again.</Notice>;
  return (
    <Card>
      <Stack>
        {error !== undefined && <ErrorNotice error={error} />}
        {!canSign && (
          <Notice tone="warn" title={`This wallet cannot sign on ${networkName(payment.facts.network)}`}>
            Pay with a wallet for that network, below, and enter the transaction hash.
          </Notice>
        )}
        {canSign && accounts.length > 1 && (
          <SelectField
            label="Pay from"
            name="account"
            value={index}
            onChange={({ target }) => setIndex(Number(target.value))}
          >
            {accounts.map((one) => (
              <option key={one.index} value={one.index}>
                {one.name}
              </option>
            ))}
          </SelectField>
        )}
        {canSign && account && accounts.length > 1 && <Address address={account.address} />}
        {canSign && account && <Funds address={account.address} payment={payment} />}
        {canSign && network === undefined && (
          <TextField
            label="Sequence number"
            name="sequence"
            inputMode="numeric"
            placeholder="1"
            value={sequence}
            onChange={({ target }) => setSequence(target.value.replace(/\D/g, ''))}
            hint="One more than the current sequence number of your account. Without a network server this wallet cannot look it up; for practice any number works."
          />
        )}
        <div className={styles['actions']}>
          {canSign && (
            <Button
              look="main"
              isPending={isPending}
              onPress={() => (isDangerous(payment.review) ? setAsks('danger') : void sign())}
            >
              Approve and sign
            </Button>
          )}
          <Button isDisabled={isPending} onPress={() => setAsks('reject')}>
            Reject
          </Button>
        </div>
        {canSign && <Muted>The network’s own fee is at most 0.001 XLM. Nothing is paid before you approve.</Muted>}
      </Stack>
      <Dialog title="Something is wrong here" isOpen={asks === 'danger'} onClose={() => setAsks(undefined)}>
        <SignAnyway payment={payment} onSign={() => void sign()} onCancel={() => setAsks(undefined)} />
      </Dialog>
      <Dialog title="Reject" isOpen={asks === 'reject'} onClose={() => setAsks(undefined)}>
        <Reject payment={payment} onDone={() => setAsks(undefined)} />
      </Dialog>
    </Card>
  );
}

/** Warns about missing funds before signing, instead of leaving it to the network. */
function Funds({ address, payment }: Readonly<{ address: string; payment: Payment }>) {
  const { data } = useQuery({
    queryKey: ['network', 'account', address],
    queryFn: async () => (await network?.account(address)) ?? null,
    enabled: network !== undefined,
    retry: 1,
  });
  if (network === undefined || data === undefined) return null;
  const { asset, issuer } = payment.facts;
  const balance = data?.balances.find((one) => one.asset === asset && one.issuer === issuer);
  if (data === null) {
    return (
      <Notice tone="warn" title="The account is not funded">
        It does not exist on the network yet. The <a href="#/keys">Keys page</a> has a link that funds it.
      </Notice>
    );
  }
  const held = balance?.amount ?? '0';
  if (isTooLittle(held, payment.facts.amount)) {
    return (
      <Notice tone="warn" title="Not enough in the account">
        The account holds {held} {asset}. The network would refuse this payment, and the agent would have to ask again.
      </Notice>
    );
  }
  return (
    <Muted>
      The account holds {held} {asset}.
    </Muted>
  );
}
