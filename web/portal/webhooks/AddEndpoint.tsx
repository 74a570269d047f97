import { type WebhookEventType } from '../../../sdk/src/types/webhook.ts';
import { useOnce } from '../../live/once.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogEnd } from '../../ui/Dialog.tsx';
import { CheckField, TextField } from '../../ui/Field.tsx';
import { Form, textIn } from '../../ui/Form.tsx';
import { showOnce } from '../shell/secrets.ts';
import { changed, useMerchant } from '../use-merchant.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../sdk/src/webhook-event-types.ts';
import { hasEvery } from './event-types.ts';
import { eventChoices } from './events.tsx';

type Props = Readonly<{ isOpen: boolean; onClose: () => void; onAdded: (id: string) => void }>;

export function AddEndpoint({ isOpen, onClose, onAdded }: Props) {
  const { client } = useMerchant();
  const once = useOnce();
  const add = async (form: FormData): Promise<void> => {
    const events = form.getAll('events') as WebhookEventType[];
    const description = textIn(form, 'description');
    const input = {
      url: textIn(form, 'url'),
      // Selecting all also means future event types.
      ...(hasEvery(events) ? {} : { events }),
      ...(description === '' ? {} : { description }),
    };
    const { webhook_endpoint, secret } = await once.send(input, (...sent) => client.webhooks.create(...sent));
    showOnce({
      title: 'The endpoint’s secret',
      secret,
      use: 'Your receiver uses it to check that a message is from us.',
      onKept: () => onAdded(webhook_endpoint.webhook_endpoint_id),
    });
    changed('endpoints');
    onClose();
  };
  return (
    <>
      <Dialog title="Add endpoint" isOpen={isOpen} onClose={onClose}>
        <Form fields={['url', 'description', 'events']} onSubmit={add}>
          {({ isPending }) => (
            <>
              <TextField
                label="URL"
                name="url"
                inputMode="url"
                placeholder="https://shop.example/webhooks"
                spellCheck={false}
                autoCapitalize="none"
              />
              <TextField label="Description" name="description" hint="Optional, for your own notes" />
              <details>
                <summary>Which events (all, unless you choose some)</summary>
                <CheckField label="Events" name="events" choices={eventChoices()} chosen={WEBHOOK_EVENT_TYPES} />
              </details>
              <DialogEnd>
                <Button onPress={onClose}>Cancel</Button>
                <Button type="submit" look="main" isPending={isPending}>
                  Add endpoint
                </Button>
              </DialogEnd>
            </>
          )}
        </Form>
      </Dialog>
    </>
  );
}
