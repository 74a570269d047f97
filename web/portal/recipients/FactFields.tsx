import { useEffect, useState } from 'react';
import { type Issue } from '../../../sdk/src/errors.ts';
import { type RecipientFacts } from '../../../sdk/src/types/merchant.ts';
import { type Network } from '../../../sdk/src/types/network.ts';
import { SelectField, TextField } from '../../ui/Field.tsx';
import { Notice } from '../../ui/Layout.tsx';
import { useMerchant } from '../use-merchant.ts';

export const FACT_FIELDS = ['network', 'asset', 'address', 'memo', 'contract', 'issuer'] as const;

export type Facts = Readonly<Record<(typeof FACT_FIELDS)[number], string>>;

export const factsFor = (network: Network): Facts => ({
  network: network.network,
  asset: network.native_asset,
  address: '',
  memo: '',
  contract: '',
  issuer: '',
});

/** Only the fields that are filled in and that this network has. */
export function sentFacts(facts: Facts, network: Network): RecipientFacts {
  const shown = shownFields(facts, network);
  const given = ['memo', 'contract', 'issuer'].filter(
    (name) => shown.has(name) && facts[name as keyof Facts].trim() !== '',
  );
  const optional = Object.fromEntries(given.map((name) => [name, facts[name as keyof Facts].trim()]));
  return { network: facts.network, asset: facts.asset.trim(), address: facts.address.trim(), ...optional };
}

const isNative = ({ asset }: Facts, { native_asset }: Network): boolean =>
  asset.trim().toUpperCase() === native_asset.toUpperCase();

function shownFields(facts: Facts, network: Network): ReadonlySet<string> {
  const shown = new Set<string>();
  if (network.memo.kind !== 'none') shown.add('memo');
  if (network.tokens === 'erc20' && !isNative(facts, network)) shown.add('contract');
  if (network.tokens === 'stellar_credit' && !isNative(facts, network)) shown.add('issuer');
  return shown;
}

type Props = Readonly<{ networks: readonly Network[]; facts: Facts; onChange: (facts: Facts) => void }>;

/** Shows the fields of the chosen network, and checks what is typed before it is sent. */
export function FactFields({ networks, facts, onChange }: Props) {
  const network = networks.find((one) => one.network === facts.network) ?? networks[0];
  const issues = useChecked(facts, network);
  if (network === undefined) return null;
  const shown = shownFields(facts, network);
  const set = (name: keyof Facts) => (event: React.SyntheticEvent<HTMLInputElement | HTMLSelectElement>) =>
    onChange({ ...facts, [name]: event.currentTarget.value });
  const choose = (event: React.SyntheticEvent<HTMLSelectElement>): void => {
    const chosen = networks.find((one) => one.network === event.currentTarget.value);
    if (chosen !== undefined) onChange({ ...facts, network: chosen.network, asset: chosen.native_asset });
  };
  const field = (name: keyof Facts) => ({
    name,
    value: facts[name],
    onChange: set(name),
    problem: facts[name].trim() === '' ? undefined : issues.find((issue) => issue.field === name)?.message,
    spellCheck: false,
    autoCapitalize: 'none',
  });
  return (
    <>
      <SelectField label="Network" name="network" value={facts.network} onChange={choose}>
        <Options title="Can be activated here" networks={networks.filter(({ enabled }) => enabled)} />
        <Options title="Not enabled here" networks={networks.filter(({ enabled }) => !enabled)} />
      </SelectField>
      {!network.enabled && (
        <Notice tone="warn">
          A payee on {network.title} can be added and proven. It cannot be activated until the operator of this service
          enables the network.
        </Notice>
      )}
      <TextField
        label="Asset"
        {...field('asset')}
        {...(network.tokens === 'none' ? { readOnly: true } : {})}
        hint={assetHint(network)}
      />
      {shown.has('issuer') && (
        <TextField label="Issuer" {...field('issuer')} hint="The account that issues the asset" />
      )}
      {shown.has('contract') && (
        <TextField label="Contract" {...field('contract')} hint="The token’s contract on this network" />
      )}
      <TextField
        label="Address"
        {...field('address')}
        hint="The account that receives the money. Checked while you type."
      />
      {shown.has('memo') && <TextField label="Memo" {...field('memo')} hint={memoHint(network)} />}
    </>
  );
}

const Options = ({ title, networks }: Readonly<{ title: string; networks: readonly Network[] }>) =>
  networks.length === 0 ? null : (
    <optgroup label={title}>
      {networks.map(({ network, title: name }) => (
        <option key={network} value={network}>
          {name}
        </option>
      ))}
    </optgroup>
  );

function assetHint({ native_asset, tokens, title }: Network): string {
  if (tokens === 'none') return `${title} pays in ${native_asset}.`;
  return tokens === 'erc20'
    ? `${native_asset}, or a token with its contract`
    : `${native_asset}, or an asset with its issuer`;
}

function memoHint({ memo }: Network): string {
  const what = memo.called === undefined ? '' : `${memo.called.charAt(0).toUpperCase()}${memo.called.slice(1)}, `;
  return memo.kind === 'integer'
    ? `${what}optional, a whole number`
    : `${what}optional, at most ${memo.max_bytes ?? 28} bytes`;
}

const DEBOUNCE_MS = 350;

/** The issues that a payee with these facts would have, shortly after the last keystroke. */
function useChecked(facts: Facts, network: Network | undefined): readonly Issue[] {
  const { client } = useMerchant();
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const typed = JSON.stringify(facts);
  useEffect(() => {
    if (network === undefined || facts.address.trim() === '') return setIssues([]);
    const ended = new AbortController();
    const { network: name, memo, contract, issuer, ...rest } = sentFacts(facts, network);
    const optional = Object.fromEntries(Object.entries({ memo, contract, issuer }).filter(([, value]) => value));
    const timer = setTimeout(() => {
      client.networks.checkAddress(name, { ...rest, ...optional }, { signal: ended.signal }).then(
        ({ issues: found }) => setIssues(found),
        // Only a convenience: the form is validated when it is sent.
        () => setIssues([]),
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [typed, network, client]);
  return issues;
}
