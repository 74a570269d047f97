import { type PaymentFacts, type Settlement } from '../../../sdk/src/types/payment.ts';
import { Seal } from '../../ui/Settlement.tsx';
import { type Column } from '../../ui/Table.tsx';
import { isWitnessed } from './witnessed.ts';

type Settled = Readonly<{ settlement: Settlement | null; payment: PaymentFacts }>;

/** The column of seals; none if the service checks none of these networks, because there is nothing to show. */
export function settlementColumn<Row extends Settled>(rows: readonly Row[]): readonly Column<Row>[] {
  const isLookedAt = rows.some(({ settlement, payment }) => settlement !== null || isWitnessed(payment.network));
  return isLookedAt ? [{ title: 'Settlement', cell: ({ settlement }) => <Seal settlement={settlement} /> }] : [];
}
