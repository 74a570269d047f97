import { type PaymentFacts, type Settlement } from '../../../sdk/src/types/payment.ts';
import { Seal } from '../../ui/Settlement.tsx';
import { type Column } from '../../ui/Table.tsx';
import { isWitnessed } from './witnessed.ts';

type Settled = Readonly<{ settlement: Settlement | null; contested: boolean; payment: PaymentFacts }>;

/** The settlement column; omitted if the service watches none of these networks, since it would be empty. */
export function settlementColumn<Row extends Settled>(rows: readonly Row[]): readonly Column<Row>[] {
  const isLookedAt = rows.some(({ settlement, payment }) => settlement !== null || isWitnessed(payment.network));
  return isLookedAt
    ? [
        {
          title: 'Settlement',
          cell: ({ settlement, contested }) => <Seal settlement={settlement} isContested={contested} />,
        },
      ]
    : [];
}
