import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { SvcError } from '../../sdk/src/errors.ts';
import { type PolicySimulation, type SimulatedThresholds, type Thresholds } from '../../sdk/src/types/agent-payment.ts';
import { serviceNow } from '../live/clock.ts';
import { ErrorNotice } from '../live/ErrorNotice.tsx';
import { textIn } from './Form.tsx';
import { Muted } from './Layout.tsx';
import {
  completeThresholds,
  firstWithPast,
  questionOf,
  type Simulated,
  simulationWords,
  thresholdWords,
} from './simulation.ts';
import styles from './WhatIf.module.css';

type WhatIfProps = Readonly<{
  /** Undefined if there is no policy yet. */
  ownId: string | undefined;
  /** The policies whose history can be simulated: the policy itself, then earlier ones. */
  policyIds: (form: FormData) => readonly string[];
  simulate: (id: string, question: SimulatedThresholds, options: { signal: AbortSignal }) => Promise<PolicySimulation>;
  /** Reads the form's fields. */
  read: (form: FormData) => Partial<Thresholds>;
  /** Undefined if the form has a field for it. */
  asset?: string | undefined;
  /** Who would have had to decide. */
  whom: 'you' | 'the person';
}>;

/** Typing counts as finished after a pause this long. */
const DEBOUNCE_MS = 400;

/** Inside a form of limits: shows, before they are saved, what they would have meant last month. */
export function WhatIf({ ownId, policyIds: idsIn, simulate, read, asset, whom }: WhatIfProps) {
  const place = useRef<HTMLDivElement>(null);
  const form = useTyped(place);
  const thresholds = form && completeThresholds(read(form));
  const policyIds = form ? idsIn(form) : [];
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['simulation', policyIds, thresholds],
    queryFn: ({ signal }) =>
      firstWithPast(policyIds, (id) => simulate(id, questionOf(thresholds as Thresholds, serviceNow()), { signal })),
    enabled: thresholds !== undefined && policyIds.length > 0,
    // Always refetch: more payments may have been judged in the meantime.
    gcTime: 0,
  });
  return (
    <div ref={place} className={styles['whatIf']} role="group" aria-label="Last month with these limits">
      {error === null || data !== undefined ? (
        <div role="status">
          {thresholds === undefined ? (
            <Muted>Once all limits are filled in, this shows what they would have meant last month.</Muted>
          ) : policyIds.length === 0 || data === null ? (
            <Muted>No policy of this connection was used last month, so there is nothing to compare with.</Muted>
          ) : data === undefined ? (
            <Muted>{isFetching ? 'Counting last month’s payments…' : ''}</Muted>
          ) : (
            <SimulationResult simulated={data} whom={whom} isOther={data.policyId !== ownId} />
          )}
        </div>
      ) : error instanceof SvcError && error.issues.length > 0 ? (
        <Muted>These limits cannot be tried: {error.issues.map(({ message }) => message).join('; ')}.</Muted>
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
      {form && thresholds !== undefined && data && (
        <Differences simulated={data} asset={asset ?? textIn(form, 'asset')} />
      )}
    </div>
  );
}

function SimulationResult({
  simulated,
  whom,
  isOther,
}: Readonly<{ simulated: Simulated; whom: string; isOther: boolean }>) {
  const { sentence, change } = simulationWords(simulated, whom);
  return (
    <>
      <p>
        <strong>{sentence}</strong>
      </p>
      <p>
        {change} {isOther && 'Based on what the previous policy was asked.'}
      </p>
    </>
  );
}

/** How many payments are listed at most. */
const MAX_LISTED = 50;

function Differences({ simulated: { differences }, asset }: Readonly<{ simulated: Simulated; asset: string }>) {
  if (differences.length === 0) return null;
  return (
    <details>
      <summary>Which ones</summary>
      <ul>
        {differences.slice(0, MAX_LISTED).map((one, at) => (
          <li key={at}>
            {one.amount} {asset} <Muted>{one.idempotency_key ?? one.payment_id}</Muted>:{' '}
            {one.permitted
              ? 'would have gone through'
              : `would have waited, ${thresholdWords(one.triggered_thresholds)}`}
          </li>
        ))}
        {differences.length > MAX_LISTED && <li>and {differences.length - MAX_LISTED} more</li>}
      </ul>
    </details>
  );
}

/** The data of the surrounding form, shortly after the last input. */
function useTyped(place: React.RefObject<HTMLElement | null>): FormData | undefined {
  const [typed, setTyped] = useState<FormData>();
  useEffect(() => {
    const form = place.current?.closest('form');
    if (!form) return;
    let timer: number | undefined;
    const look = (): void => setTyped(new FormData(form));
    const soon = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(look, DEBOUNCE_MS);
    };
    look();
    form.addEventListener('input', soon);
    form.addEventListener('change', soon);
    return () => {
      clearTimeout(timer);
      form.removeEventListener('input', soon);
      form.removeEventListener('change', soon);
    };
  }, [place]);
  return typed;
}
