import { type PaymentRequest, type Settlement as Seen } from '../../../sdk/src/types/payment.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card, Muted, Row, Section } from '../../ui/Layout.tsx';
import { Settlement } from '../../ui/Settlement.tsx';
import { toast } from '../../ui/Toast.tsx';
import { useAction } from '../shell/use-action.ts';
import { useMerchant } from '../use-merchant.ts';
import { SameTransaction } from './SameTransaction.tsx';
import { type PaymentPlace, useSameTransaction } from './use-same-transaction.ts';
import { isWitnessed } from './witnessed.ts';

type Reported = Pick<PaymentRequest, 'settlement' | 'contested' | 'payment' | 'ledger' | 'transaction_hash'> &
  Readonly<{ status: string }>;

/** `lookAgainAt` is the request whose settlement the service can be asked to check again. */
type Props = Readonly<{ payment: Reported; place: PaymentPlace; lookAgainAt?: string | undefined }>;

/** What the service itself saw on the network: a wallet's report alone does not prove payment. */
export function PaymentSettlement({ payment, place, lookAgainAt }: Props) {
  const { settlement, payment: facts, ledger, transaction_hash: hash } = payment;
  const others = useSameTransaction(hash, place);
  if (settlement === null && hash === undefined) return null;
  const canLook = isWitnessed(facts.network);
  const action = lookAgainAt === undefined || !canLook ? {} : { action: <LookAgain id={lookAgainAt} /> };
  return (
    <Section title="Settlement" {...action}>
      <Card>
        <SameTransaction others={others} />
        {settlement === null ? (
          <Muted>
            {canLook
              ? 'A wallet reported the transaction; it has not been looked up on the network yet.'
              : 'A wallet reported the transaction. This service does not look for itself: check it on the network before you ship.'}
          </Muted>
        ) : (
          <Settlement settlement={settlement} facts={facts} ledger={ledger} advice={adviceOn(payment, settlement)} />
        )}
      </Card>
    </Section>
  );
}

const UNTIED =
  'But the wallet named the transaction only after its ledger had closed: that it is for this payment is plausible, not ' +
  'certain, and the risk is yours.';

/**
 * A merchant should ship only when both the network and the wallet confirm. That another payment names the same
 * transaction holds nothing up: a transfer settles one payment, and where it is open which one, it is contested.
 */
function adviceOn({ status, contested }: Reported, { verdict, announced }: Seen): string {
  if (verdict === 'differs') return 'Do not ship.';
  if (contested)
    return 'Do not ship: several payments claim this transfer, and it is open which of them it was meant for.';
  if (verdict !== 'matches') return 'Do not ship yet.';
  if (status !== 'confirmed') return 'Wait until the wallet has confirmed it too.';
  return announced === false ? `You can ship. ${UNTIED}` : 'You can ship.';
}

function LookAgain({ id }: Readonly<{ id: string }>) {
  const { client } = useMerchant();
  const look = useAction(async () => {
    await client.payments.checkSettlement(id);
    toast('The service is asking the network; the result appears here by itself.');
  });
  return (
    <Row>
      {look.error !== undefined && <ErrorNotice error={look.error} />}
      <Button size="small" isPending={look.isPending} onPress={() => look.run()}>
        Look again
      </Button>
    </Row>
  );
}
