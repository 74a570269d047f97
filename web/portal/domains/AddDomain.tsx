import { useState } from 'react';
import { useOnce } from '../../live/once.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { RadioField, TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { changed, useMerchant } from '../use-merchant.ts';

export function AddDomain({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const { client } = useMerchant();
  const once = useOnce();
  const [method, setMethod] = useState<string>('dns');
  const add = async (form: FormData): Promise<void> => {
    const input = { domain: textIn(form, 'domain'), method: method === 'https' ? 'https' : 'dns' } as const;
    await once.send(input, (...sent) => client.domains.create(...sent));
    changed('domains');
    onClose();
  };
  return (
    <Dialog title="Add domain" isOpen={isOpen} onClose={onClose}>
      <Form fields={['domain', 'method']} onSubmit={add}>
        {({ isPending }) => (
          <>
            <TextField
              label="Domain"
              name="domain"
              placeholder="shop.example"
              inputMode="url"
              spellCheck={false}
              autoCapitalize="none"
              hint="Exactly the name your customers know, without https://"
            />
            <RadioField
              label="How you prove it"
              name="method"
              value={method}
              onChange={setMethod}
              choices={[
                { value: 'dns', label: 'DNS record', hint: 'If you can edit the domain’s DNS' },
                { value: 'https', label: 'HTTPS file', hint: 'If you can put a file on the website' },
              ]}
            />
            <DialogEnd>
              <Button onPress={onClose}>Cancel</Button>
              <Button type="submit" look="main" isPending={isPending}>
                Add domain
              </Button>
            </DialogEnd>
          </>
        )}
      </Form>
    </Dialog>
  );
}
