import { useState } from 'react';
import { type WebhookEndpoint } from '../../../sdk/src/types/webhook.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Notice, Row } from '../../ui/Layout.tsx';
import { goTo } from '../../ui/router.tsx';
import { toast } from '../../ui/Toast.tsx';
import { Confirm } from '../shell/Confirm.tsx';
import { showOnce } from '../shell/secrets.ts';
import { useAction } from '../shell/use-action.ts';
import { changed, useMerchant } from '../use-merchant.ts';
import { ChangeEndpoint } from './ChangeEndpoint.tsx';
import { testWords } from './test-words.ts';

export function EndpointActions({ endpoint }: Readonly<{ endpoint: WebhookEndpoint }>) {
  const { client } = useMerchant();
  const { webhook_endpoint_id: id, url, status, version } = endpoint;
  const [notice, setNotice] = useState<string>();
  const verify = useAction(async () => {
    await client.webhooks.verify(id);
    changed('endpoints');
    toast('The endpoint is active.');
  });
  const test = useAction(async () => {
    setNotice(undefined);
    setNotice(testWords(await client.webhooks.test(id)));
    changed('deliveries');
  });
  const rotate = async (): Promise<void> => {
    const { secret } = await client.webhooks.rotateSecret(id);
    showOnce({ title: 'The new secret', secret, use: 'Your receiver uses it to check that a message is from us.' });
    changed('endpoints');
  };
  const disable = async (): Promise<void> => {
    await client.webhooks.change(id, { version, status: 'disabled' });
    changed('endpoints');
  };
  const remove = async (): Promise<void> => {
    await client.webhooks.delete(id);
    changed('endpoints', 'deliveries');
    toast('The endpoint is deleted.');
    goTo('/webhooks');
  };
  return (
    <>
      <Row>
        {status !== 'active' && (
          <Button look="main" isPending={verify.isPending} onPress={() => verify.run()}>
            Verify
          </Button>
        )}
        <Button isPending={test.isPending} onPress={() => test.run()}>
          Send test message
        </Button>
        <ChangeEndpoint endpoint={endpoint} />
        <Confirm action="Rotate secret" title="Rotate secret" end="main" onConfirm={rotate}>
          <p>
            Messages are then signed with a new secret. The old one also signs for 24 hours, so that you can change
            over.
          </p>
        </Confirm>
        {status === 'active' && (
          <Confirm action="Disable" title="Disable the endpoint" onConfirm={disable}>
            <p>Nothing more is sent to {url} until it is verified again.</p>
          </Confirm>
        )}
        <Confirm action="Delete" title="Delete the endpoint" typed={new URL(url).host} onConfirm={remove}>
          <p>Nothing more is sent to {url}, and what waits to be sent there is dropped. This cannot be undone.</p>
        </Confirm>
      </Row>
      {[verify.error, test.error].map((error, at) => error !== undefined && <ErrorNotice key={at} error={error} />)}
      {notice !== undefined && (
        <div role="status">
          <Notice>{notice}</Notice>
        </div>
      )}
    </>
  );
}
