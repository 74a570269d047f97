import { useCallback, useEffect, useState } from 'react';
import { SvcError } from '../../../sdk/src/errors.ts';
import { type DomainChallenge, type MerchantDomain } from '../../../sdk/src/types/merchant.ts';
import { serviceNow } from '../../live/clock.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { isCode } from '../../live/errors.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyText } from '../../ui/Copy.tsx';
import { Facts, Muted, Notice, Row, Stack } from '../../ui/Layout.tsx';
import { Countdown } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { portalSession } from '../session.ts';
import { useAction } from '../shell/use-action.ts';
import { changed, useMerchant } from '../use-merchant.ts';
import { proofTitle, proofWords } from './proof-words.ts';

/** DNS records take a while to propagate; after the first check the page checks again by itself. */
const RECHECK_INTERVAL_MS = 20_000;

export function Challenge({ domain, challenge }: Readonly<{ domain: MerchantDomain; challenge: DomainChallenge }>) {
  const { client } = useMerchant();
  const { domain_id: id, domain: name } = domain;
  const [again, setAgain] = useState<string>();
  const look = useCallback(async (): Promise<void> => {
    try {
      await client.domains.verify(id);
    } catch (error) {
      if (isCode(error, 'domain_proof_failed', 'rate_limited')) {
        const pause = Math.max(RECHECK_INTERVAL_MS, (error.retryAfterSeconds ?? 0) * 1000);
        setAgain(new Date(serviceNow() + pause).toISOString());
      }
      throw error;
    }
    toast(`${name} is verified.`);
    changed('domains', 'recipients');
    await portalSession.read();
  }, [client, id, name]);
  const check = useAction(look);
  const { run } = check;

  useEffect(() => {
    if (again === undefined) return;
    const timer = setTimeout(
      () => {
        setAgain(undefined);
        void run();
      },
      new Date(again).getTime() - serviceNow(),
    );
    return () => clearTimeout(timer);
    // A new function identity for the same work must not restart the pause.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [again]);

  return (
    <Stack>
      <Publish challenge={challenge} />
      <Row>
        <Button look="main" isPending={check.isPending} onPress={() => check.run()}>
          Check now
        </Button>
        <Muted>
          {again === undefined ? (
            <>
              Valid for <Countdown until={challenge.expires_at} />
            </>
          ) : (
            <>
              Looking again by itself in <Countdown until={again} over="a moment" />
            </>
          )}
        </Muted>
      </Row>
      {check.error !== undefined && <Difference error={check.error} />}
    </Stack>
  );
}

function Publish({ challenge }: Readonly<{ challenge: DomainChallenge }>) {
  if (challenge.type === 'dns') {
    return (
      <>
        <p>Add this record to the domain’s DNS, and leave it there: it is looked for once a week.</p>
        <Facts
          facts={[
            ['Type', challenge.record_type],
            ['Name', <CopyText key="name" text={challenge.record_name} what="name" />],
            ['Value', <CopyText key="value" text={challenge.record_value} what="value" />],
          ]}
        />
      </>
    );
  }
  return (
    <>
      <p>Put a plain text file at this address, with exactly this content. It must answer without a redirect.</p>
      <Facts
        facts={[
          ['Address', <CopyText key="url" text={challenge.url} what="address" />],
          ['Content', <CopyText key="content" text={challenge.content} what="content" />],
        ]}
      />
    </>
  );
}

/** What was expected next to what was found. */
export function Difference({ error }: Readonly<{ error: unknown }>) {
  if (!(error instanceof SvcError) || error.code !== 'domain_proof_failed') return <ErrorNotice error={error} />;
  const { expected, found, reason } = error.details;
  return (
    <Notice tone="warn" title={proofTitle(wordOf(reason))}>
      <Facts
        facts={[
          ['Expected', <code key="expected">{wordOf(expected)}</code>],
          ['Found', <code key="found">{wordOf(found)}</code>],
          ['Reason', proofWords(wordOf(reason))],
        ]}
      />
    </Notice>
  );
}

const wordOf = (value: unknown): string => {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return 'nothing';
  if (Array.isArray(value)) return value.map(wordOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
};
