import { type Projection } from './projection';
import { walletDevicesProjection } from './wallet-devices.projection';

/** The one list: what is named here is built, what is not does not exist for readers. */
export const projections: readonly Projection[] = [walletDevicesProjection];
