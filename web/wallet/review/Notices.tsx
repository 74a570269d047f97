import { type NoticeSeverity, type Review, type ReviewNotice } from '../../../sdk/src/types/review.ts';
import { Muted, Notice, Stack } from '../../ui/Layout.tsx';
import { Time } from '../../ui/Time.tsx';
import styles from './Notices.module.css';

const ORDER: readonly NoticeSeverity[] = ['danger', 'warning', 'info'];
const SHOWN = { danger: ['bad', 'Danger'], warning: ['warn', 'Careful'], info: ['calm', 'Good to know'] } as const;

export const isDangerous = (review: Review | undefined): boolean =>
  review?.notices.some(({ severity }) => severity === 'danger') ?? false;

/** What the log says that a careful person would want to know, the worst first. */
export function Notices({ review }: Readonly<{ review: Review | undefined }>) {
  const notices = [...(review?.notices ?? [])].sort(
    (one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity),
  );
  return (
    <section className={styles['notices']} aria-label="Notices">
      {notices.length === 0 && <Muted>Nothing unusual about this payment.</Muted>}
      <Stack>
        {notices.map((notice, at) => (
          <One key={notice.code + String(at)} notice={notice} />
        ))}
      </Stack>
    </section>
  );
}

function One({ notice: { code, severity, message, since } }: Readonly<{ notice: ReviewNotice }>) {
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
      </Notice>
    </div>
  );
}
