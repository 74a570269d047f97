import { useState } from 'react';
import { type Recipient, type RecipientVersion } from '../../../sdk/src/types/merchant.ts';
import { Address } from '../../ui/Address.tsx';
import { CheckBox } from '../../ui/Field.tsx';
import { Row, Stack } from '../../ui/Layout.tsx';
import { toast } from '../../ui/Toast.tsx';
import { Confirm } from '../shell/Confirm.tsx';
import { changed, useMerchant } from '../use-merchant.ts';

/** For an address that must not be paid again, ever. */
export function Retire({ payee, version }: Readonly<{ payee: Recipient; version: RecipientVersion }>) {
  const { client } = useMerchant();
  const [withdraws, setWithdraws] = useState(false);
  const retire = async (): Promise<void> => {
    const input = { version: payee.version, ...(withdraws ? { withdraw_pending: true } : {}) };
    await client.recipients.retire(payee.recipient_id, version.recipient_version_id, input);
    changed('recipients', 'payments');
    toast(`Version ${version.number} is retired.`);
  };
  return (
    <Row>
      <Confirm action="Retire" title={`Retire version ${version.number}`} onConfirm={retire}>
        <Stack>
          <p>
            {payee.name} is never paid at these details again: <Address address={version.address} />
          </p>
          <p>
            {version.status === 'active'
              ? 'It is the active version: nobody can be asked to pay until you activate another.'
              : 'The active version stays what it is.'}{' '}
            This cannot be undone.
          </p>
          <CheckBox
            label="Withdraw what is still pending on it"
            name="withdraw_pending"
            checked={withdraws}
            onChange={(event) => setWithdraws(event.currentTarget.checked)}
          />
        </Stack>
      </Confirm>
    </Row>
  );
}
