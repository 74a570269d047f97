import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Recipient, type RecipientVersion } from '../../../sdk/src/types/merchant.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { SelectField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { Row } from '../../ui/Layout.tsx';
import { toast } from '../../ui/Toast.tsx';
import { allOf } from '../../live/all-of.ts';
import { useAction } from '../shell/use-action.ts';
import { changed, useMerchant } from '../use-merchant.ts';

/** Binds the facts to a verified domain. With only one domain there is nothing to choose. */
export function ProveByDomain({ payee, version }: Readonly<{ payee: Recipient; version: RecipientVersion }>) {
  const { client } = useMerchant();
  const [isChoosing, setChoosing] = useState(false);
  const query = useQuery({
    queryKey: ['domains', 'verified'],
    queryFn: ({ signal }) =>
      allOf(
        (page) => client.domains.list(page, { signal }),
        ({ domains: known }) => known.filter(({ status }) => status === 'verified'),
      ),
  });
  const domains = query.data ?? [];
  const prove = async (source_id: string): Promise<void> => {
    const { recipient_version_id } = version;
    await client.recipients.verify(payee.recipient_id, { recipient_version_id, source_id, version: payee.version });
    changed('recipients');
    setChoosing(false);
    toast(`Version ${version.number} is proven.`);
  };
  const action = useAction(prove);
  const begin = (): void => {
    const [only, ...others] = domains;
    if (only !== undefined && others.length === 0) void action.run(only.domain_id);
    else setChoosing(true);
  };
  // Without the domains there would be an empty list to choose from.
  if (query.data === undefined && query.error !== null)
    return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <>
      <Row>
        <Button look="main" isPending={action.isPending || query.isPending} onPress={begin}>
          Prove by domain
        </Button>
      </Row>
      {action.error !== undefined && <ErrorNotice error={action.error} />}
      <Dialog title="Prove by domain" isOpen={isChoosing} onClose={() => setChoosing(false)}>
        <p>The domain vouches for these facts: the person who decides sees its name next to the payee.</p>
        <Form fields={['source_id']} onSubmit={(form) => prove(textIn(form, 'source_id'))}>
          {({ isPending }) => (
            <>
              <SelectField label="Domain" name="source_id">
                {domains.map(({ domain_id, domain }) => (
                  <option key={domain_id} value={domain_id}>
                    {domain}
                  </option>
                ))}
              </SelectField>
              <DialogEnd>
                <Button onPress={() => setChoosing(false)}>Cancel</Button>
                <Button type="submit" look="main" isPending={isPending}>
                  Prove by domain
                </Button>
              </DialogEnd>
            </>
          )}
        </Form>
      </Dialog>
    </>
  );
}
