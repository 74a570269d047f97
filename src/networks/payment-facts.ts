import { type Issue } from '../kernel/errors';
import { type AssetAnswer, checkAsset } from './assets';
import { memoProblem } from './memos';
import { type NetworkName, type Rail } from './names';
import { looksLikeSecret } from './pasted-secrets';
import { secretPasted } from './problems';
import { networkNamed } from './table';

export type PaymentFactsInput = Readonly<{
  network: string;
  asset: string;
  address: string;
  memo?: string | undefined;
  contract?: string | undefined;
  issuer?: string | undefined;
}>;

/** Everything a wallet needs to pay, fixed once and never taken from the caller of a payment. */
export type PaymentFacts = Readonly<{
  rail: Rail;
  network: NetworkName;
  asset: string;
  address: string;
  memo?: string;
  contract?: string;
  issuer?: string;
  /** Absent for a token whose contract is not in the table. */
  decimals?: number;
  chain_id?: number;
}>;

export type PaymentFactsAnswer =
  | Readonly<{ ok: true; facts: PaymentFacts }>
  | Readonly<{ ok: false; issues: readonly Issue[] }>;

/** Accepts what the chain would execute, in its checksummed spelling; otherwise returns every problem at once. */
export function checkPaymentFacts(input: PaymentFactsInput): PaymentFactsAnswer {
  const missing = emptyFields(input);
  const network = networkNamed(input.network);
  if (!network) return { ok: false, issues: [...unknownNetwork(input), ...missing, ...pastedSecrets(input)] };

  const asset: AssetAnswer = input.asset === '' ? { issues: [] } : checkAsset(network, input);
  const address = input.address === '' ? undefined : network.checkAddress(input.address);
  const memo = input.memo === undefined ? undefined : memoProblem(network, input.memo);
  const issues: Issue[] = [...missing, ...asset.issues];
  if (address) issues.push({ ...address, field: 'address' });
  else if (sameAddress(input.address, asset.facts?.contract ?? input.contract))
    issues.push({
      code: 'unusable_address',
      field: 'address',
      message: 'This is the token’s own contract: tokens sent there are lost. Give the payee’s address.',
    });
  if (memo) issues.push({ ...memo, field: 'memo' });
  if (issues.length > 0 || !asset.facts) return { ok: false, issues };

  const { rail, decimals, ...token } = asset.facts;
  return {
    ok: true,
    facts: {
      rail,
      network: network.name,
      asset: input.asset,
      address: network.spelling?.(input.address) ?? input.address,
      ...(input.memo === undefined ? {} : { memo: input.memo }),
      ...token,
      ...(decimals === undefined ? {} : { decimals }),
      ...(network.chainId === undefined ? {} : { chain_id: network.chainId }),
    },
  };
}

const sameAddress = (a: string, b: string | undefined): boolean => a !== '' && a.toLowerCase() === b?.toLowerCase();

const required = (field: string, message: string): Issue => ({ code: 'required', field, message });

const emptyFields = (input: PaymentFactsInput): readonly Issue[] => [
  ...(input.asset === '' ? [required('asset', 'Name the asset, such as XLM.')] : []),
  ...(input.address === '' ? [required('address', 'Give the address the payee is paid at.')] : []),
];

const unknownNetwork = (input: PaymentFactsInput): readonly Issue[] =>
  input.network === ''
    ? [required('network', 'Name the network, such as stellar_testnet.')]
    : [
        {
          code: 'unknown_network',
          field: 'network',
          message: 'There is no such network. Use a listed name, such as stellar_testnet.',
        },
      ];

/** Without a network nothing else can be checked, but a pasted secret must still be reported. */
const pastedSecrets = (input: PaymentFactsInput): readonly Issue[] =>
  (['address', 'memo', 'contract', 'issuer'] as const)
    .filter((field) => looksLikeSecret(input[field] ?? ''))
    .map((field) => ({ ...secretPasted, field }));
