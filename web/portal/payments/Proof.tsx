import { useState } from 'react';
import { type Verdict } from '../../../src/audit/proofs/verdict.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card, Muted, Row } from '../../ui/Layout.tsx';
import { checkText } from '../audit/check-text.ts';
import { VerdictView } from '../audit/VerdictView.tsx';
import { saveFile } from '../shell/save-file.ts';
import { useAction } from '../shell/use-action.ts';
import { useMerchant } from '../use-merchant.ts';

/** The proof of this payment, to download, or to check in the browser. */
export function Proof({ id }: Readonly<{ id: string }>) {
  const { client } = useMerchant();
  const [verdict, setVerdict] = useState<Verdict>();
  const download = useAction(async () => {
    const proof = await client.payments.proof(id);
    saveFile(`proof-${id}.json`, JSON.stringify(proof, undefined, 2));
  });
  const check = useAction(async () => {
    setVerdict(undefined);
    setVerdict(await checkText(JSON.stringify(await client.payments.proof(id))));
  });
  return (
    <Card>
      <Muted>Proves that the log contained exactly this when it was signed. The check runs in this browser.</Muted>
      <Row>
        <Button isPending={download.isPending} onPress={() => download.run()}>
          Download proof
        </Button>
        <Button isPending={check.isPending} onPress={() => check.run()}>
          Check proof
        </Button>
      </Row>
      {[download.error, check.error].map((error, at) => error !== undefined && <ErrorNotice key={at} error={error} />)}
      {verdict !== undefined && <VerdictView verdict={verdict} />}
    </Card>
  );
}
