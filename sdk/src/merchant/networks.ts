import { type CallOptions, path } from '../transport.ts';
import { type NextCursor } from '../types/common.ts';
import { type AddressToCheck, type AddressVerdict, type Network } from '../types/network.ts';
import { type MerchantSession } from './session.ts';

export class MerchantNetworks {
  constructor(private readonly session: MerchantSession) {}

  list(options?: CallOptions) {
    return this.session.get<NextCursor & Readonly<{ networks: readonly Network[] }>>('/v1/networks', {}, options);
  }

  /** For a form while it is being filled in: nothing is stored. */
  checkAddress(network: string, input: AddressToCheck, options?: CallOptions): Promise<AddressVerdict> {
    return this.session.post(path`/v1/networks/${network}/check-address`, input, options);
  }
}
