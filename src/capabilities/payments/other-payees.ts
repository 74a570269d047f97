import { strayPayees } from '../../http/input/stray-payees';
import { type Issue } from '../../kernel/errors';
import { paymentUri } from '../../networks';
import { type PinnedVersion } from './payable-recipient';

/** Issues for whatever the caller's own words say to pay, other than the recipient's version in force. */
export function otherPayees(
  freeForm: Readonly<Record<string, unknown>>,
  version: PinnedVersion | undefined,
  amount: string | undefined,
): readonly Issue[] {
  if (version === undefined) return strayPayees(freeForm, []);
  const { network, address, issuer, contract } = version.facts;
  const link = amount === undefined ? null : paymentUri(version.facts, amount);
  return strayPayees(freeForm, [network], { addresses: [address, issuer, contract], link });
}
