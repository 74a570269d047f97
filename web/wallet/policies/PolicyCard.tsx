import {
  type AutomationPolicy,
  type AutomationPolicyWithPayees,
  type PolicyPayee,
} from '../../../sdk/src/types/agent-payment.ts';
import { type Connection } from '../../../sdk/src/types/connect.ts';
import { Address } from '../../ui/Address.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card, Facts, Muted, Notice, Row } from '../../ui/Layout.tsx';
import { Status, type Tone } from '../../ui/Status.tsx';
import { useNow } from '../../ui/Time.tsx';
import { exactTime } from '../../ui/time-words.ts';
import { namesInWords } from '../connections/names.ts';
import { networkName } from '../networks.ts';
import styles from './Policies.module.css';

const SHOWN: Readonly<Record<AutomationPolicy['status'], readonly [Tone, string]>> = {
  awaiting_opt_in: ['warn', 'Waits for you'],
  active: ['good', 'Active'],
  opted_out: ['calm', 'Stopped'],
  declined: ['calm', 'Declined'],
  replaced: ['calm', 'Replaced by another'],
  revoked: ['calm', 'Revoked'],
};

type PolicyCardProps = Readonly<{
  policy: AutomationPolicyWithPayees;
  connection: Connection | undefined;
  onAllow: () => void;
  onStop: () => void;
  onDecline: () => void;
}>;

/** What the agent may do alone, in words, and how much of it is used. */
export function PolicyCard({ policy, connection, onAllow, onStop, onDecline }: PolicyCardProps) {
  const [tone, word] = SHOWN[policy.status];
  const isEnded = ['declined', 'replaced', 'revoked'].includes(policy.status);
  return (
    <Card>
      <Row>
        {/* Under the names that the person knows: nobody may change theirs in front of a decision. */}
        <h2>{connection ? namesInWords(connection.agreed_names ?? connection) : policy.connection_id}</h2>
        <Status tone={tone}>{word}</Status>
      </Row>
      <Sentence policy={policy} />
      {policy.connection_status !== 'active' && (
        <Notice tone="warn">Its connection is {policy.connection_status}, so it can pay nothing.</Notice>
      )}
      <Ended policy={policy} />
      <Usage policy={policy} />
      {!isEnded && (
        <Row>
          {(policy.status !== 'active' || policy.payees.some(({ opted_in }) => !opted_in)) && (
            <Button look="main" onPress={onAllow}>
              Allow
            </Button>
          )}
          {policy.status === 'awaiting_opt_in' && <Button onPress={onDecline}>Decline</Button>}
          {policy.status === 'active' && (
            <Button look="danger" onPress={onStop}>
              Stop
            </Button>
          )}
        </Row>
      )}
    </Card>
  );
}

/** A policy stays `active` after its validity has ended, so that is shown separately. */
function Ended({ policy: { status, valid_until } }: Readonly<{ policy: AutomationPolicy }>) {
  const isOver = Date.parse(valid_until) <= useNow();
  if (status !== 'active' || !isOver) return null;
  return <Notice tone="warn">Its time is over, so it can pay nothing.</Notice>;
}

function Sentence({ policy }: Readonly<{ policy: AutomationPolicyWithPayees }>) {
  const { asset } = policy;
  return (
    <Facts
      facts={[
        ['At a time', `at most ${policy.single_tx_limit} ${asset}`],
        ['In all', `at most ${policy.cumulative_limit} ${asset} on ${networkName(policy.network)}`],
        ['From', exactTime(policy.valid_from)],
        ['Until', exactTime(policy.valid_until)],
        [
          'Only to',
          <ul key="payees" className={styles['payees']}>
            {policy.payees.map((payee) => (
              <li key={payee.recipient_id}>
                <Payee payee={payee} isActive={policy.status === 'active'} />
              </li>
            ))}
          </ul>,
        ],
      ]}
    />
  );
}

/** A payee that has changed since the person agreed is not paid without them. */
const Payee = ({ payee, isActive }: Readonly<{ payee: PolicyPayee; isActive: boolean }>) => (
  <>
    {payee.name} <Muted>{payee.domain}</Muted>
    {payee.address !== null && (
      <div>
        <Address address={payee.address} />
      </div>
    )}
    {/* Anyone can issue a token under any code, so the code alone does not say what is paid. */}
    {[payee.issuer, payee.contract].map(
      (source) =>
        source !== null && (
          <div key={source}>
            <Muted>{payee.asset} of</Muted> <Address address={source} />
          </div>
        ),
    )}
    {isActive && !payee.opted_in && (
      <Notice tone="warn">
        It has changed since you agreed, so it is not paid without you. Allow it again to continue.
      </Notice>
    )}
  </>
);

/** How much of the limit is spent, also as a bar. */
function Usage({ policy }: Readonly<{ policy: AutomationPolicy }>) {
  const { reserved, spent, remaining, asset, status } = policy;
  if (status === 'awaiting_opt_in') return null;
  return (
    <div className={styles['usage']}>
      {/* A rounded number is good enough for the bar. */}
      <meter min={0} max={Number(policy.cumulative_limit)} value={Number(reserved) + Number(spent)} aria-label="Used" />
      <span>
        {spent} {asset} spent, {reserved} {asset} reserved, {remaining} {asset} left
      </span>
    </div>
  );
}
