import { useState } from 'react';
import { type WebhookEndpoint, type WebhookEventType } from '../../../sdk/src/types/webhook.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { CheckField, TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { toast } from '../../ui/Toast.tsx';
import { changed, useMerchant } from '../use-merchant.ts';
import { eventChoices } from './events.tsx';

export function ChangeEndpoint({ endpoint }: Readonly<{ endpoint: WebhookEndpoint }>) {
  const { client } = useMerchant();
  const [isOpen, setOpen] = useState(false);
  const { webhook_endpoint_id: id, version, url, events, description } = endpoint;
  const change = async (form: FormData): Promise<void> => {
    const next = textIn(form, 'url');
    const words = textIn(form, 'description');
    await client.webhooks.change(id, {
      version,
      ...(next === url ? {} : { url: next }),
      events: form.getAll('events') as WebhookEventType[],
      description: words === '' ? null : words,
    });
    changed('endpoints');
    setOpen(false);
    toast('The endpoint is changed.');
  };
  return (
    <>
      <Button onPress={() => setOpen(true)}>Change</Button>
      <Dialog title="Change the endpoint" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Form fields={['url', 'description', 'events']} onSubmit={change}>
          {({ isPending }) => (
            <>
              <TextField
                label="URL"
                name="url"
                defaultValue={url}
                spellCheck={false}
                hint="A new address must be verified again."
              />
              <TextField label="Description" name="description" defaultValue={description ?? ''} />
              <CheckField label="Events" name="events" choices={eventChoices(events)} chosen={events} />
              <DialogEnd>
                <Button onPress={() => setOpen(false)}>Cancel</Button>
                <Button type="submit" look="main" isPending={isPending}>
                  Change
                </Button>
              </DialogEnd>
            </>
          )}
        </Form>
      </Dialog>
    </>
  );
}
