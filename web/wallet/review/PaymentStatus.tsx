import { type PaymentStatus as StatusName } from '../../../sdk/src/types/payment.ts';
import { Status, type Tone } from '../../ui/Status.tsx';

const SHOWN: Readonly<Record<StatusName, readonly [Tone, string]>> = {
  pending: ['warn', 'Waits for you'],
  signed: ['busy', 'Signed'],
  broadcasted: ['busy', 'Broadcasted'],
  confirmed: ['good', 'Confirmed'],
  failed: ['bad', 'Failed'],
  rejected: ['calm', 'Rejected'],
  expired: ['calm', 'Expired'],
};

export function PaymentStatus({ status }: Readonly<{ status: StatusName }>) {
  const [tone, word] = SHOWN[status];
  return <Status tone={tone}>{word}</Status>;
}
