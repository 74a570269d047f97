import { Card, Muted, Row } from '../../ui/Layout.tsx';
import { Confirm } from '../shell/Confirm.tsx';
import { portalSession } from '../session.ts';
import { useMerchant } from '../use-merchant.ts';

/** This person's own sessions, wherever they are open. */
export function Sessions() {
  const { client } = useMerchant();
  const everywhere = async (): Promise<void> => {
    await client.signOutEverywhere();
    portalSession.leave();
  };
  return (
    <Card>
      <Muted>A session ends by itself after eight hours. If you left one open somewhere, end them all.</Muted>
      <Row>
        <Confirm action="Sign out everywhere" title="Sign out everywhere" onConfirm={everywhere}>
          <p>Every session of your e-mail address ends at once, on this device and on all others.</p>
        </Confirm>
      </Row>
    </Card>
  );
}
