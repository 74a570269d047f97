import { useId } from 'react';
import { type TimelineEntry } from '../../../sdk/src/types/review.ts';
import { type PaymentRequest } from '../../../sdk/src/types/payment.ts';
import { exactTime } from '../../ui/time-words.ts';
import { Button } from '../../ui/Button.tsx';
import { Muted, Notice, Row } from '../../ui/Layout.tsx';
import styles from './Payments.module.css';

type Props = Readonly<{
  payment: PaymentRequest;
  moments: readonly TimelineEntry[];
  asOf: string | undefined;
  onChange: (asOf: string | undefined) => void;
}>;

/** Time travel: each step of the slider is an event in the payment's life, the last one is now. */
export function Moment({ payment, moments, asOf, onChange }: Props) {
  const id = useId();
  const eventTimes = moments.map(({ occurred_at }) => occurred_at).filter((at) => at >= payment.created_at);
  const times = [...new Set(eventTimes.length === 0 ? [payment.created_at] : eventTimes)].sort();
  const now = times.length;
  const at = asOf === undefined ? now : times.indexOf(asOf);
  return (
    <div className={styles['moment']}>
      <label htmlFor={id}>Moment</label>
      <input
        id={id}
        type="range"
        min={0}
        max={now}
        step={1}
        value={at === -1 ? now : at}
        aria-valuetext={asOf === undefined ? 'now' : exactTime(asOf)}
        onChange={(event) => onChange(times[Number(event.currentTarget.value)])}
      />
      {asOf === undefined ? (
        <Muted>Now. Move it to see this payment as it was.</Muted>
      ) : (
        <Notice tone="warn" title={`As it was on ${exactTime(asOf)}`}>
          <Row>
            <span>
              Status, facts, settlement and timeline are those of that moment. Looking at the past changes nothing.
            </span>
            <Button size="small" onPress={() => onChange(undefined)}>
              Back to now
            </Button>
          </Row>
        </Notice>
      )}
    </div>
  );
}
