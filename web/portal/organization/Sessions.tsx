import { type OpenMerchantSession } from '../../../sdk/src/types/merchant.ts';
import { Muted, Row, Stack } from '../../ui/Layout.tsx';
import { Status } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { exactTime } from '../../ui/time-words.ts';
import { toast } from '../../ui/Toast.tsx';
import { portalSession } from '../session.ts';
import { Confirm } from '../shell/Confirm.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { changed, useMerchant } from '../use-merchant.ts';

const PLACES: Readonly<Record<OpenMerchantSession['delivery'], string>> = { cookie: 'Browser', bearer: 'Program' };

/** This person's own sessions, on any device. */
export function Sessions() {
  const { client } = useMerchant();
  const query = usePages(['sessions'], async (cursor, signal) => {
    const page = await client.listSessions(cursor === undefined ? {} : { cursor }, { signal });
    return { rows: page.sessions, next: page.next_cursor };
  });
  const everywhere = async (): Promise<void> => {
    await client.signOutEverywhere();
    portalSession.leave();
  };
  return (
    <Stack>
      <Muted>
        Yours alone, wherever you are signed in. Each ends by itself after eight hours; end what you do not know.
      </Muted>
      <Loaded query={query}>
        {(sessions) => (
          <>
            <Table<OpenMerchantSession>
              label="Sessions"
              rows={sessions}
              keyOf={({ session_id }) => session_id}
              columns={[
                { title: 'Opened', cell: ({ opened_at }) => <Time at={opened_at} /> },
                { title: 'In', cell: ({ delivery }) => PLACES[delivery] },
                { title: 'Organization', isName: true, cell: ({ merchant_name }) => merchant_name },
                { title: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
                { title: 'Action', cell: (session) => <End session={session} /> },
              ]}
            />
            <ShowMore query={query} />
          </>
        )}
      </Loaded>
      <Row>
        <Confirm action="Sign out everywhere" title="Sign out everywhere" onConfirm={everywhere}>
          <p>Every session of your e-mail address ends at once, on this device and on all others.</p>
        </Confirm>
      </Row>
    </Stack>
  );
}

/** The current session has no button here: it ends by signing out, as on every page. */
function End({ session }: Readonly<{ session: OpenMerchantSession }>) {
  const { client } = useMerchant();
  const { session_id: id, opened_at, delivery, is_current } = session;
  if (is_current) return <Status tone="good">This one</Status>;
  const opened = exactTime(opened_at);
  const end = async (): Promise<void> => {
    await client.endSession(id);
    changed('sessions');
    toast('The session has ended.');
  };
  return (
    <Confirm action="End session" title="End session" size="small" what={`of ${opened}`} onConfirm={end}>
      <p>
        {delivery === 'cookie' ? 'The browser' : 'The program'} that was signed in on {opened} is signed out at once.
      </p>
    </Confirm>
  );
}
