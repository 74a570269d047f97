import { useState } from 'react';
import { Address } from '../../ui/Address.tsx';
import { Button } from '../../ui/Button.tsx';
import { DialogEnd } from '../../ui/Dialog.tsx';
import { CheckBox } from '../../ui/Field.tsx';
import { Notice, Stack } from '../../ui/Layout.tsx';
import { type Payment } from './payments.ts';

type SignAnywayProps = Readonly<{ payment: Payment; onSign: () => void; onCancel: () => void }>;

/** The second, deliberate step: repeats the danger, and the person must confirm that they checked. */
export function SignAnyway({ payment, onSign, onCancel }: SignAnywayProps) {
  const [isChecked, setChecked] = useState(false);
  const dangers = payment.review?.notices.filter(({ severity }) => severity === 'danger') ?? [];
  return (
    <Stack>
      {dangers.map(({ code, message }) => (
        <Notice key={code} tone="bad" title="Danger">
          {message}
        </Notice>
      ))}
      <p>
        Ask {payment.payee.name} some other way than through this message: by telephone, or at {payment.payee.domain}.
        They should confirm exactly this address:
      </p>
      <Address address={payment.facts.to} />
      <CheckBox
        label="I have checked the address with the payee"
        checked={isChecked}
        onChange={({ target }) => setChecked(target.checked)}
      />
      <DialogEnd>
        <Button onPress={onCancel}>Cancel</Button>
        <Button look="danger" isDisabled={!isChecked} onPress={onSign}>
          Sign anyway
        </Button>
      </DialogEnd>
    </Stack>
  );
}
