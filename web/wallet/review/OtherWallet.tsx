import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Card, Muted, Row, Stack } from '../../ui/Layout.tsx';
import { Qr } from '../../ui/Qr.tsx';
import { network } from '../device/network.ts';
import { useWallet } from '../device/use-wallet.ts';
import { reportPaid } from './approve.ts';
import { type Payment } from './payments.ts';

/** Any other wallet can pay: the payment URI says what to pay, and the person reports the transaction here. */
export function OtherWallet({ payment }: Readonly<{ payment: Payment }>) {
  const { paymentUri } = payment;
  const [shows, setShows] = useState(false);
  const [isReporting, setIsReporting] = useState(false);
  const isPending = payment.status === 'pending';
  return (
    <Card>
      <Stack>
        <h2>{isPending ? 'Pay with another wallet' : 'Paid elsewhere?'}</h2>
        {isPending && paymentUri !== undefined && shows && (
          <>
            <Qr text={paymentUri} label="Payment for another wallet" />
            <p>
              <a href={paymentUri}>Open in another wallet</a>
            </p>
          </>
        )}
        {isPending && <Muted>Pay once: either here or there.</Muted>}
        <Row>
          {isPending && paymentUri !== undefined && !shows && (
            <Button onPress={() => setShows(true)}>Show payment QR code</Button>
          )}
          {!isReporting && <Button onPress={() => setIsReporting(true)}>I have paid</Button>}
        </Row>
        {isReporting && <ReportPaid payment={payment} />}
      </Stack>
    </Card>
  );
}

const COMPARE =
  'The network has no transaction with this hash yet. Compare it with the one in the other wallet. If it is right, press “I have paid” again.';

/** Whether the network's server was asked, and does not have it. */
async function isUnknown({ facts }: Payment, hash: string): Promise<boolean> {
  if (network === undefined || facts.network !== 'stellar_testnet') return false;
  return network.find(hash).then(
    (found) => found === undefined,
    () => false,
  );
}

function ReportPaid({ payment }: Readonly<{ payment: Payment }>) {
  const unlocked = useWallet();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string>();
  /** The network did not have it, and the person was asked to compare it. */
  const doubted = useRef<string>(undefined);
  const isStellar = payment.facts.network.startsWith('stellar');
  const submit = async (form: FormData): Promise<void> => {
    const hash = textIn(form, 'transaction_hash');
    if (hash === '') return setProblem('Enter the hash that the other wallet shows.');
    if (isStellar && !/^[0-9a-f]{64}$/i.test(hash)) {
      return setProblem('A Stellar transaction hash has 64 characters, 0 to 9 and a to f.');
    }
    const reported = isStellar ? hash.toLowerCase() : hash;
    // The service lets nobody change a hash once it is reported, so a mistyped one must not get there.
    if (reported !== doubted.current && (await isUnknown(payment, reported))) {
      doubted.current = reported;
      return setProblem(COMPARE);
    }
    setProblem(undefined);
    await reportPaid(unlocked, payment, reported);
    await queries.invalidateQueries();
  };
  return (
    <Form onSubmit={submit} fields={['transaction_hash']} label="I have paid">
      {({ isPending }) => (
        <>
          <TextField
            label="Transaction hash"
            name="transaction_hash"
            spellCheck={false}
            autoCapitalize="none"
            problem={problem}
            hint="The other wallet shows it after paying. Once it is reported it cannot be changed."
          />
          <div>
            <Button type="submit" look="main" isPending={isPending}>
              I have paid
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}
