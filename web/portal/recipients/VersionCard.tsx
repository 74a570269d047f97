import { type Recipient, type RecipientVersion } from '../../../sdk/src/types/merchant.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Address } from '../../ui/Address.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card, Facts, Notice, Row, Section, Stack } from '../../ui/Layout.tsx';
import { Time } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { Confirm } from '../shell/Confirm.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useAction } from '../shell/use-action.ts';
import { useNetworkName } from '../shell/use-networks.ts';
import { changed, useMerchant } from '../use-merchant.ts';
import { Retire } from './Retire.tsx';
import { ProveByDomain } from './ProveByDomain.tsx';

type Props = Readonly<{ payee: Recipient; version: RecipientVersion; active: RecipientVersion | undefined }>;

const COMPARED = ['network', 'asset', 'address', 'memo', 'contract', 'issuer'] as const;
type Compared = (typeof COMPARED)[number];
const NAMES: Readonly<Record<Compared, string>> = {
  network: 'Network',
  asset: 'Asset',
  address: 'Address',
  memo: 'Memo',
  contract: 'Contract',
  issuer: 'Issuer',
};

function useValueOf() {
  const networkName = useNetworkName();
  return (of: RecipientVersion, name: Compared): React.ReactNode => {
    const value = of[name];
    if (value === null) return 'none';
    if (name === 'network') return networkName(value);
    return name === 'asset' || name === 'memo' ? value : <Address address={value} />;
  };
}

/** One set of facts compared with the active one. */
export function VersionCard({ payee, version, active }: Props) {
  const valueOf = useValueOf();
  const isOther = active !== undefined && active.recipient_version_id !== version.recipient_version_id;
  const rows = COMPARED.filter((name) => version[name] !== null || (isOther && active[name] !== null)).map((name) => {
    const differs = isOther && active[name] !== version[name];
    const shown = differs ? (
      <>
        <strong>{valueOf(version, name)}</strong>
        <br />
        <small>Differs. Active version: {valueOf(active, name)}</small>
      </>
    ) : (
      valueOf(version, name)
    );
    return [NAMES[name], shown] as const;
  });
  const { evidence, created_at, activated_at, retired_at } = version;
  return (
    <Card>
      <Section title={`Version ${version.number}`} action={<StatusWord status={version.status} />}>
        <Facts
          facts={[
            ...rows,
            ['Added', <Time key="added" at={created_at} />],
            ...(activated_at === null ? [] : [['Activated', <Time key="activated" at={activated_at} />] as const]),
            ...(retired_at === undefined ? [] : [['Retired', <Time key="retired" at={retired_at} />] as const]),
            ...(evidence === null ? [] : [['Evidence', <EvidenceWords key="evidence" evidence={evidence} />] as const]),
            // The ids that a program uses to request a payment.
            ['Payee id', <code key="payee">{payee.recipient_id}</code>],
            ['Version id', <code key="version">{version.recipient_version_id}</code>],
          ]}
        />
        {version.status === 'created' && <ProveByDomain payee={payee} version={version} />}
        {version.status === 'verified' && <Activate payee={payee} version={version} active={active} />}
        {version.status !== 'retired' && <Retire payee={payee} version={version} />}
      </Section>
    </Card>
  );
}

const EvidenceWords = ({ evidence }: Readonly<{ evidence: NonNullable<RecipientVersion['evidence']> }>) => (
  <>
    Domain {evidence.proof.domain}, proven <Time at={evidence.verified_at} />
    <br />
    <code>{evidence.evidence_digest}</code>
  </>
);

/** Activating the first version affects nobody; replacing an active one takes a second step. */
function Activate({ payee, version, active }: Props) {
  const { client } = useMerchant();
  const networkName = useNetworkName();
  const activate = async (): Promise<void> => {
    const { evidence_id = '', evidence_digest = '' } = version.evidence ?? {};
    const proof = { evidence_id, evidence_digest, version: payee.version };
    await client.recipients.activate(payee.recipient_id, version.recipient_version_id, proof);
    changed('recipients');
    toast(`Version ${version.number} is active.`);
  };
  const action = useAction(activate);
  if (active === undefined) {
    return (
      <>
        <Notice tone="warn">
          Once it is active, agents can ask people to pay {version.asset} on {networkName(version.network)} to exactly
          the address above. Look at it once more.
        </Notice>
        <Row>
          <Button look="main" isPending={action.isPending} onPress={() => action.run()}>
            Activate
          </Button>
        </Row>
        {action.error !== undefined && <ErrorNotice error={action.error} />}
      </>
    );
  }
  return (
    <Row>
      <Confirm
        action="Activate"
        title={`Activate version ${version.number}`}
        look="main"
        end="main"
        onConfirm={activate}
      >
        <WhatChanges payee={payee} version={version} active={active} />
      </Confirm>
    </Row>
  );
}

/** People who paid before are warned if one of these changes. */
const WARNED: readonly Compared[] = ['network', 'asset', 'address'];

function WhatChanges({ payee, version, active }: Props & Readonly<{ active: RecipientVersion }>) {
  const valueOf = useValueOf();
  const changes = COMPARED.filter((name) => version[name] !== active[name]);
  const shown = COMPARED.filter((name) => name === 'address' || changes.includes(name));
  return (
    <Stack>
      <p>
        New payments to {payee.name} will then go to version {version.number} instead of version {active.number}.
        Payments already requested keep theirs.
        {changes.some((name) => WARNED.includes(name)) &&
          ' People who paid you before are warned that the payee changed.'}
      </p>
      <Facts
        facts={shown.map((name) => [
          NAMES[name],
          changes.includes(name) ? (
            <>
              <strong>{valueOf(version, name)}</strong>
              <br />
              <small>until now: {valueOf(active, name)}</small>
            </>
          ) : (
            <>
              {valueOf(version, name)}
              <br />
              <small>stays the same</small>
            </>
          ),
        ])}
      />
    </Stack>
  );
}
