import { type Issue } from '../kernel/errors';
import { eip55, evmAddress } from './evm';
import { guardedAddress } from './guarded-address';
import { type KnownToken, knownTokensOn } from './known-tokens';
import { type Rail } from './names';
import { type Network } from './network';
import { stellarAddress } from './stellar';

export type AssetInput = Readonly<{ asset: string; contract?: string | undefined; issuer?: string | undefined }>;
export type AssetFacts = Readonly<{ rail: Rail; decimals?: number; contract?: string; issuer?: string }>;
export type AssetAnswer = Readonly<{ issues: readonly Issue[]; facts?: AssetFacts }>;

const issue = (field: string, code: string, message: string): Issue => ({ code, field, message });
const refused = (...issues: readonly Issue[]): AssetAnswer => ({ issues });
const accepted = (facts: AssetFacts, issues: readonly Issue[]): AssetAnswer =>
  issues.length > 0 ? { issues } : { issues, facts };

/** The rail of a payment depends on the network, the asset and, for a token, the contract or issuer. */
export function checkAsset(network: Network, input: AssetInput): AssetAnswer {
  switch (network.tokens) {
    case 'none':
      return nativeOnly(network, input);
    case 'erc20':
      return nativeOrErc20(network, input);
    case 'stellar_credit':
      return nativeOrCredit(network, input);
  }
}

const contractNotAccepted = (message: string): Issue => issue('contract', 'contract_not_accepted', message);
const issuerNotAccepted = (message: string): Issue => issue('issuer', 'issuer_not_accepted', message);
const noIssuer = (network: Network, input: AssetInput): readonly Issue[] =>
  input.issuer === undefined
    ? []
    : [issuerNotAccepted(`Assets on ${network.title} have no issuer. Leave the field out.`)];

function nativeOnly(network: Network, input: AssetInput): AssetAnswer {
  const { asset, decimals, rail } = network.native;
  const issues = [...noIssuer(network, input)];
  if (input.contract !== undefined)
    issues.unshift(
      contractNotAccepted(`Only ${asset} is offered on ${network.title}, which has no contract. Leave it out.`),
    );
  if (input.asset !== asset || rail === undefined)
    issues.unshift(
      issue(
        'asset',
        'asset_not_supported',
        `On ${network.title} payments are made in ${asset}. Set asset to "${asset}".`,
      ),
    );
  return rail === undefined ? refused(...issues) : accepted({ rail, decimals }, issues);
}

/** A person would read a token called `xlm` as the asset itself, whoever issues it. */
const readsAsNative = ({ native }: Network, asset: string): readonly Issue[] =>
  asset !== native.asset && asset.toUpperCase() === native.asset
    ? [
        issue(
          'asset',
          'asset_mismatch',
          `The network’s own asset is written ${native.asset}. Set asset to "${native.asset}", or to a token’s own name.`,
        ),
      ]
    : [];

function nativeOrErc20(network: Network, input: AssetInput): AssetAnswer {
  const { asset, decimals, rail } = network.native;
  const issues = [...noIssuer(network, input)];
  if (input.asset !== asset) return erc20(network, input, [...readsAsNative(network, input.asset), ...issues]);
  if (input.contract !== undefined)
    issues.unshift(
      contractNotAccepted(
        `${asset} is the network’s own asset and has no contract. Leave it out, or set asset to the token’s symbol.`,
      ),
    );
  if (rail !== undefined) return accepted({ rail, decimals }, issues);
  return refused(
    issue(
      'asset',
      'asset_not_supported',
      `${asset} itself is not offered on ${network.title}. Set asset to "USDC", or to another token with its contract.`,
    ),
    ...issues,
  );
}

function erc20(network: Network, input: AssetInput, before: readonly Issue[]): AssetAnswer {
  const known = knownTokensOn(network.name);
  const sameSymbol = known.find(({ symbol }) => symbol === input.asset.toUpperCase());
  const railToken = network.rails.includes('base_usdc') && sameSymbol?.symbol === 'USDC' ? sameSymbol : undefined;
  // The rail of USDC on Base already identifies the token, so its contract may be omitted there and nowhere else.
  const given = input.contract ?? railToken?.contract;
  if (given === undefined)
    return refused(
      issue(
        'contract',
        'contract_required',
        `Give the token’s contract address on ${network.title}, or set asset to "${network.native.asset}".`,
      ),
      ...symbolIssues(input.asset, undefined),
      ...before,
    );
  const broken = guardedAddress(evmAddress)(given);
  if (broken) return refused({ ...broken, field: 'contract' }, ...symbolIssues(input.asset, undefined), ...before);
  const contract = eip55(given);
  const token = known.find((candidate) => candidate.contract === contract);
  const issues = [...symbolIssues(input.asset, token), ...before];
  if (!token && sameSymbol)
    issues.unshift(
      issue(
        'contract',
        'contract_mismatch',
        `${sameSymbol.symbol} on ${network.title} has the contract ${sameSymbol.contract}. Use it, or name the other token by its own symbol.`,
      ),
    );
  const rail = token !== undefined && token === railToken ? 'base_usdc' : 'evm_erc20';
  // A token's decimals are in its contract, which is not read here. Some wallet would trust a guess that is off by
  // twelve digits, so an unlisted token has none and the wallet asks the chain.
  return accepted({ rail, ...(token ? { decimals: token.decimals } : {}), contract }, issues);
}

function symbolIssues(asset: string, token: KnownToken | undefined): readonly Issue[] {
  if (!/^[A-Za-z0-9$._+-]{1,24}$/.test(asset))
    return [
      issue(
        'asset',
        'asset_not_supported',
        'Set asset to the token’s symbol: at most 24 letters, digits and $ . _ + - signs.',
      ),
    ];
  if (token && token.symbol !== asset)
    return [issue('asset', 'asset_mismatch', `That contract is ${token.symbol}. Set asset to "${token.symbol}".`)];
  return [];
}

function codeIssues(network: Network, asset: string): readonly Issue[] {
  if (/^[A-Za-z0-9]{1,12}$/.test(asset)) return readsAsNative(network, asset);
  const message = `Set asset to "${network.native.asset}" or to an asset code of 1 to 12 letters and digits.`;
  return [issue('asset', 'asset_not_supported', message)];
}

/** Whether an asset can have this name at all, for those who name it without its issuer. */
export const assetNameIssues = (network: Network, asset: string): readonly Issue[] =>
  network.tokens === 'stellar_credit' ? codeIssues(network, asset) : [];

function nativeOrCredit(network: Network, input: AssetInput): AssetAnswer {
  const { asset, decimals, rail } = network.native;
  const issues: Issue[] = [];
  if (input.contract !== undefined)
    issues.push(
      contractNotAccepted(`Assets on ${network.title} are named by code and issuer, not by contract. Leave it out.`),
    );
  if (input.asset === asset) {
    if (input.issuer !== undefined)
      issues.push(
        issuerNotAccepted(`${asset} has no issuer. Leave it out, or set asset to the code that issuer uses.`),
      );
  } else {
    issues.unshift(...codeIssues(network, input.asset));
    const broken = input.issuer === undefined ? undefined : guardedAddress(stellarAddress)(input.issuer);
    if (broken) issues.push({ ...broken, field: 'issuer' });
    if (input.issuer === undefined)
      issues.push(
        issue('issuer', 'issuer_required', `Give the G… account that issues this asset, or set asset to "${asset}".`),
      );
  }
  if (rail === undefined) return refused(...issues);
  return accepted({ rail, decimals, ...(input.issuer === undefined ? {} : { issuer: input.issuer }) }, issues);
}
