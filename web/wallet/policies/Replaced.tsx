import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SvcError } from '../../../sdk/src/errors.ts';
import { Notice } from '../../ui/Layout.tsx';
import { useWallet } from '../device/use-wallet.ts';
import { policiesQuery } from './queries.ts';

/** One policy at a time counts for an agent and an asset: the person is asked before another one ends for it. */
export function useReplaced() {
  const [id, setId] = useState<string>();
  /** True once it is done; false if the person is to be asked about the policy that would end. */
  const attempt = async (work: (named: Readonly<{ replaces?: string }>) => Promise<unknown>): Promise<boolean> => {
    try {
      await work(id === undefined ? {} : { replaces: id });
      return true;
    } catch (error) {
      const active = error instanceof SvcError && error.code === 'policy_already_active' && error.details['policy_id'];
      if (typeof active !== 'string') throw error;
      setId(active);
      return false;
    }
  };
  return { id, attempt };
}

export function ReplacedNotice({ id }: Readonly<{ id: string | undefined }>) {
  const { client } = useWallet();
  const { data: policies = [] } = useQuery(policiesQuery(client));
  if (id === undefined) return null;
  const old = policies.find((policy) => policy.id === id);
  return (
    <Notice tone="warn">
      Another policy is active for this agent and asset{old && `: at most ${old.cumulative_limit} ${old.asset} in all`}.
      {old && ` Spent: ${old.spent} ${old.asset}; reserved: ${old.reserved} ${old.asset}.`} If you go on, it ends, and
      what nobody has signed under it is withdrawn.
    </Notice>
  );
}
