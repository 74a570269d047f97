import { useSyncExternalStore } from 'react';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyText } from '../../ui/Copy.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { Card, Facts, Muted, Notice, Row, Stack } from '../../ui/Layout.tsx';
import { Qr } from '../../ui/Qr.tsx';
import { reasonWords } from '../../ui/reason-words.ts';
import { Status } from '../../ui/Status.tsx';
import { network } from '../device/network.ts';
import { useWallet } from '../device/use-wallet.ts';
import { useAct } from '../use-act.ts';
import { outboxView, practise, reportArrived, resumePayment, troubles } from './approve.ts';
import { type SignedPayment } from './outbox.ts';
import { broadcastedWords, paidWords, withdrawnWords } from './outcome-words.ts';
import { type Payment } from './payments.ts';

type Both = Readonly<{ payment: Payment; signed: SignedPayment | undefined }>;

/** What has happened to the payment since the decision, and what is left for the person to do. */
export function OnItsWay({ payment, signed }: Both) {
  const unlocked = useWallet();
  const trouble = useSyncExternalStore(outboxView.subscribe, () => troubles.of(payment));
  return (
    <Card>
      {signed?.way === 'practice' && (
        <div>
          <Status tone="warn">Practice</Status>
        </div>
      )}
      <Happening payment={payment} signed={signed} />
      {trouble !== undefined && signed && (
        <ErrorNotice error={trouble} onRetry={() => void resumePayment(unlocked, signed)} />
      )}
      <Facts
        facts={[
          ...((payment.hash ?? signed?.hash)
            ? ([['Transaction hash', <CopyText key="hash" text={payment.hash ?? signed?.hash ?? ''} />]] as const)
            : []),
          ...(payment.ledger === undefined ? [] : ([['Ledger', String(payment.ledger)]] as const)),
          ...reasonOf(payment),
          ...(payment.late === undefined ? [] : ([['Reported late', payment.late.transaction_hash]] as const)),
        ]}
      />
      {signed?.way === 'elsewhere' && payment.status === 'signed' && <Elsewhere payment={payment} signed={signed} />}
      {signed?.way === 'told' && payment.status === 'broadcasted' && network === undefined && (
        <Arrived payment={payment} />
      )}
    </Card>
  );
}

/** What was withdrawn has the reason of who did; elsewhere the status has one. */
function reasonOf({ reason, withdrawnBy, withdrawnReason }: Payment): readonly (readonly [string, string])[] {
  const words = withdrawnBy === undefined ? reason && reasonWords(reason) : withdrawnReason;
  return words === undefined || words === '' ? [] : [['Reason', words]];
}

const TAKEN_BACK_BY = { agent: 'The agent', merchant: 'The merchant', service: 'The service' } as const;

function Happening({ payment, signed }: Both) {
  const { settlement, payee } = payment;
  const seen = { way: signed?.way, hasNetwork: network !== undefined, settlement, payee: payee.name };
  if (signed?.outcome?.kind === 'withdrawn') {
    const { title, text } = withdrawnWords(seen, signed.outcome.reason);
    return (
      <Notice tone="warn" title={title}>
        {text}
      </Notice>
    );
  }
  if (payment.late !== undefined) {
    return (
      <Notice tone="warn" title="Reported after it had ended">
        A transaction was reported for it all the same, and {payee.name} is shown that. Ask them before you pay again.
      </Notice>
    );
  }
  if (payment.withdrawnBy !== undefined) {
    return (
      <Notice title="Withdrawn">
        {TAKEN_BACK_BY[payment.withdrawnBy]} took it back before anybody signed. Nothing is paid.
      </Notice>
    );
  }
  switch (payment.status) {
    case 'pending':
      return <p role="status">Signed. Telling the service…</p>;
    case 'signed':
      if (signed === undefined) return <p>Signed before. What was signed is not kept in this browser.</p>;
      if (signed.way === 'elsewhere') return <p role="status">Signed. It is up to you to submit it.</p>;
      return <p role="status">Signed. Waiting for the network…</p>;
    case 'broadcasted':
      return (
        <>
          <p role="status">{broadcastedWords(seen)}</p>
          {signed?.way === 'told' && (
            <Muted>If the hash is wrong, tell {payee.name} the right one: a reported hash cannot be changed.</Muted>
          )}
        </>
      );
    case 'confirmed':
      if (payment.settlement?.verdict === 'differs') {
        return (
          <Notice tone="bad" title="Paid, but not what was asked for">
            The network shows something different from this request, see below.
          </Notice>
        );
      }
      return (
        <Notice tone="good" title="Paid">
          {paidWords(seen)}
        </Notice>
      );
    case 'failed':
      return (
        <Notice tone="bad" title="Not paid">
          {signed?.outcome?.kind === 'failed'
            ? 'The network did not accept it. No money has moved; the agent can ask again.'
            : 'It was reported as failed. The agent can ask again.'}
        </Notice>
      );
    case 'rejected':
      return <Notice title="Rejected">You said no. Nothing is paid.</Notice>;
    case 'expired':
      return <Notice title="Expired">Nobody approved it in time. Nothing is paid.</Notice>;
    default:
      return payment.status satisfies never;
  }
}

/** Without a network server: the transaction as text and QR code, to be submitted elsewhere. Or practice. */
function Elsewhere({ payment, signed }: Readonly<{ payment: Payment; signed: SignedPayment }>) {
  return (
    <Stack>
      <Muted>
        Submit this to any server of the test network. It pays once, however often it is submitted. Then enter its hash
        under “I have paid”.
      </Muted>
      <TextArea label="Signed transaction" name="xdr" readOnly rows={6} value={signed.xdr} spellCheck={false} />
      <Qr text={signed.xdr} label="To scan" />
      <Practice payment={payment} />
    </Stack>
  );
}

function Practice({ payment }: Readonly<{ payment: Payment }>) {
  const { act, error, isPending } = useAct();
  const unlocked = useWallet();
  if (network !== undefined) return null;
  return (
    <Notice tone="warn" title="Practice">
      <Stack>
        {error !== undefined && <ErrorNotice error={error} />}
        <p>To try things out: this tells the service that it was paid, but no money moves.</p>
        <Row>
          <Button isPending={isPending} onPress={() => void act(() => practise(unlocked, payment))}>
            Finish as practice
          </Button>
        </Row>
      </Stack>
    </Notice>
  );
}

function Arrived({ payment }: Readonly<{ payment: Payment }>) {
  const { act, error, isPending } = useAct();
  const unlocked = useWallet();
  return (
    <Stack>
      {error !== undefined && <ErrorNotice error={error} />}
      <Muted>This wallet cannot see ledgers. Once you have seen the transaction in a ledger, confirm it here.</Muted>
      <Row>
        <Button isPending={isPending} onPress={() => void act(() => reportArrived(unlocked, payment))}>
          It is in a ledger
        </Button>
      </Row>
    </Stack>
  );
}
