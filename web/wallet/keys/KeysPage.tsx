import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Address } from '../../ui/Address.tsx';
import { Amount } from '../../ui/Amount.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Card, Muted, Notice, PageHead, Row, Section, Stack } from '../../ui/Layout.tsx';
import { Qr } from '../../ui/Qr.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Status } from '../../ui/Status.tsx';
import { fundingLink, network } from '../device/network.ts';
import { type Account } from '../device/storage.ts';
import { useWallet } from '../device/use-wallet.ts';
import { wallet } from '../device/wallet.ts';
import { ShowSecret } from './ShowSecret.tsx';
import styles from './Keys.module.css';

export function KeysPage() {
  const { record } = useWallet();
  const [adds, setAdds] = useState(false);
  const [shows, setShows] = useState<Account | 'words'>();
  return (
    <>
      <PageHead
        title="Keys"
        action={
          <Button look="main" onPress={() => setAdds(true)}>
            Add account
          </Button>
        }
      >
        Every account comes from your words. Whoever pays you needs its address.
      </PageHead>
      <ul className={styles['accounts']} aria-label="Accounts">
        {record.accounts.map((account) => (
          <li key={account.index}>
            <AccountCard
              account={account}
              pays={account.index === record.paysFrom}
              onSecret={() => setShows(account)}
            />
          </li>
        ))}
      </ul>
      <Section title="Words">
        <Muted>
          The words restore all accounts on another device. They are shown only here, on purpose, and after the
          passphrase.
        </Muted>
        <div>
          <Button onPress={() => setShows('words')}>Show words</Button>
        </div>
      </Section>
      <Dialog title="Add account" isOpen={adds} onClose={() => setAdds(false)}>
        <AddAccount number={record.accounts.length + 1} onDone={() => setAdds(false)} />
      </Dialog>
      <Dialog
        title={shows === undefined || shows === 'words' ? 'Show words' : `Secret key of ${shows.name}`}
        isOpen={shows !== undefined}
        onClose={() => setShows(undefined)}
      >
        {shows !== undefined && <ShowSecret of={shows} onClose={() => setShows(undefined)} />}
      </Dialog>
    </>
  );
}

function AccountCard({ account, pays, onSecret }: Readonly<{ account: Account; pays: boolean; onSecret: () => void }>) {
  const [shows, setShows] = useState(false);
  const { address, name, index } = account;
  return (
    <Card>
      <Row>
        <h2>{name}</h2>
        {pays && <Status tone="good">Pays</Status>}
      </Row>
      <Balance address={address} />
      <Stack>
        <Address address={address} />
        {shows && <Qr text={address} label={`Address of ${name}`} />}
      </Stack>
      <Row>
        <CopyButton text={address} label="Copy address" />
        <Button size="small" onPress={() => setShows(!shows)}>
          {shows ? 'Hide QR code' : 'Show QR code'}
        </Button>
        {!pays && (
          <Button size="small" onPress={() => void wallet.payFrom(index)}>
            Pay from this account
          </Button>
        )}
        <Button size="small" look="quiet" onPress={onSecret}>
          Show secret key
        </Button>
      </Row>
    </Card>
  );
}

function Balance({ address }: Readonly<{ address: string }>) {
  const balance = useQuery({
    queryKey: ['network', 'account', address],
    queryFn: async () => (await network?.account(address)) ?? null,
    enabled: network !== undefined,
    retry: 1,
  });
  if (network === undefined) return <Muted>No network server is configured, so the balance is not known.</Muted>;
  if (balance.isError) return <ErrorNotice error={balance.error} onRetry={() => void balance.refetch()} />;
  if (balance.data === undefined) return <Skeleton lines={1} />;
  const again = (
    <Button size="small" look="quiet" isPending={balance.isFetching} onPress={() => void balance.refetch()}>
      Look again
    </Button>
  );
  if (balance.data === null) {
    return (
      <Notice tone="warn" title="Not funded yet">
        <p>The test network gives free coins to new accounts.</p>
        <Row>
          <a href={fundingLink(network, address)} target="_blank" rel="noreferrer">
            Fund this account
          </a>
          {again}
        </Row>
      </Notice>
    );
  }
  return (
    <Row>
      {balance.data.balances.map(({ amount, asset, issuer }) => (
        <Amount key={asset + (issuer ?? '')} amount={amount} asset={asset} network="Stellar testnet" />
      ))}
      {again}
    </Row>
  );
}

function AddAccount({ number, onDone }: Readonly<{ number: number; onDone: () => void }>) {
  const submit = async (form: FormData): Promise<void> => {
    await wallet.addAccount(textIn(form, 'name') || `Account ${number}`);
    onDone();
  };
  return (
    <Form onSubmit={submit} fields={[]} label="Add account">
      {({ isPending }) => (
        <>
          <TextField label="Name" name="name" defaultValue={`Account ${number}`} maxLength={80} />
          <div>
            <Button type="submit" look="main" isPending={isPending}>
              Add account
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}
