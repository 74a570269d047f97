import { useQuery } from '@tanstack/react-query';
import { type NoticeSeverity, type Review, type ReviewNotice } from '../../../sdk/src/types/review.ts';
import { Muted, Notice, Stack } from '../../ui/Layout.tsx';
import { hrefOf } from '../../ui/router.tsx';
import { Time } from '../../ui/Time.tsx';
import { connectionsQuery } from '../connect/queries.ts';
import { useWallet } from '../device/use-wallet.ts';
import { type Payment, placeOf } from './payments.ts';
import { paymentsQuery } from './queries.ts';
import styles from './Notices.module.css';

const ORDER: readonly NoticeSeverity[] = ['danger', 'warning', 'info'];
const SHOWN = { danger: ['bad', 'Danger'], warning: ['warn', 'Careful'], info: ['calm', 'Good to know'] } as const;

export const isDangerous = (review: Review | undefined): boolean =>
  review?.notices.some(({ severity }) => severity === 'danger') ?? false;

/** What a careful person would want to know from the log, most severe first. */
export function Notices({ payment: { review, connectionId } }: Readonly<{ payment: Payment }>) {
  const notices = [...(review?.notices ?? [])].sort(
    (one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity),
  );
  const stopped = useStopped(connectionId);
  return (
    <section className={styles['notices']} aria-label="Notices">
      {notices.length === 0 && stopped === undefined && <Muted>Nothing unusual about this payment.</Muted>}
      <Stack>
        {notices.map((notice, at) => (
          <One key={notice.code + String(at)} notice={notice} connectionId={connectionId} />
        ))}
        {stopped !== undefined && (
          <Notice tone="warn" title="Careful">
            The connection of this agent is {stopped}: it asked for this before. Reject it if you no longer want it.
          </Notice>
        )}
      </Stack>
    </section>
  );
}

/** What an agent asked for before the person stopped it still waits, and would be paid. */
function useStopped(connectionId: string): 'paused' | 'revoked' | undefined {
  const { client } = useWallet();
  const { data: connections = [] } = useQuery(connectionsQuery(client));
  const status = connections.find(({ connection_id }) => connection_id === connectionId)?.status;
  return status === 'active' ? undefined : status;
}

type OneProps = Readonly<{ notice: ReviewNotice; connectionId: string }>;

function One({ notice: { code, severity, message, since, request_ids: others = [], title }, connectionId }: OneProps) {
  const [tone, word] = SHOWN[severity];
  return (
    <div data-notice={code} data-severity={severity}>
      <Notice tone={tone} title={word}>
        {message}
        {since !== undefined && (
          <Muted>
            {' '}
            (<Time at={since} />)
          </Muted>
        )}
        {title !== undefined && <q>{title}</q>}
        {others.length > 0 && <Others ids={others} connectionId={connectionId} />}
      </Notice>
    </div>
  );
}

/**
 * Other payments, of the same connection unless it has none of that id. The payment list knows which of the two kinds
 * each one is, if it has it; the page of a request finds the other kind, too.
 */
function Others({ ids, connectionId }: Readonly<{ ids: readonly string[]; connectionId: string }>) {
  const { client } = useWallet();
  const { data: payments = [] } = useQuery(paymentsQuery(client));
  const otherOf = (id: string) => {
    const all = payments.filter((one) => one.id === id);
    return (
      all.find((one) => one.connectionId === connectionId) ?? all[0] ?? { kind: 'request' as const, id, connectionId }
    );
  };
  return (
    <ul>
      {ids.map((id) => (
        <li key={id}>
          <a href={hrefOf(placeOf(otherOf(id)))}>{id}</a>
        </li>
      ))}
    </ul>
  );
}
