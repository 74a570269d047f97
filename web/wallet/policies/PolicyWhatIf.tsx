import { useQuery } from '@tanstack/react-query';
import { type AutomationPolicy } from '../../../sdk/src/types/agent-payment.ts';
import { policiesWithPast } from '../../ui/simulation.ts';
import { WhatIf } from '../../ui/WhatIf.tsx';
import { useWallet } from '../device/use-wallet.ts';
import { policiesQuery } from './queries.ts';
import { aboutIn, thresholdsIn } from './read-thresholds.ts';

/** What the limits in the form would have meant, for a proposal or for a new policy. */
export function PolicyWhatIf({ policy }: Readonly<{ policy?: AutomationPolicy }>) {
  const { client } = useWallet();
  const { data: policies = [] } = useQuery(policiesQuery(client));
  return (
    <WhatIf
      ownId={policy?.id}
      policyIds={(form) => policiesWithPast(policies, policy ?? aboutIn(form))}
      simulate={(id, question, options) => client.simulatePolicy(id, question, options)}
      read={thresholdsIn}
      asset={policy?.asset}
      whom="you"
    />
  );
}
