import { useQueryClient } from '@tanstack/react-query';
import { Button } from '../../ui/Button.tsx';
import { DialogEnd } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { toast } from '../../ui/Toast.tsx';
import { useWallet } from '../device/use-wallet.ts';
import { type Payment } from './payments.ts';

export function Reject({ payment, onDone }: Readonly<{ payment: Payment; onDone: () => void }>) {
  const { client } = useWallet();
  const queries = useQueryClient();
  const submit = async (form: FormData): Promise<void> => {
    const reason = textIn(form, 'reason');
    const report = { status: 'rejected', ...(reason === '' ? {} : { reason }) } as const;
    if (payment.kind === 'agent_payment') await client.reportAgentPayment(payment.id, report);
    else await client.reportPaymentRequest(payment.id, report, { connectionId: payment.connectionId });
    toast('Rejected. Nothing is paid.');
    onDone();
    await queries.invalidateQueries();
  };
  return (
    <Form onSubmit={submit} fields={['reason']} label="Reject">
      {({ isPending }) => (
        <>
          <TextField
            label="Reason"
            name="reason"
            maxLength={500}
            hint={`${payment.agentName ?? 'The agent'} and the merchant read it. Optional.`}
          />
          <DialogEnd>
            <Button type="submit" look="danger" isPending={isPending}>
              Reject
            </Button>
          </DialogEnd>
        </>
      )}
    </Form>
  );
}
