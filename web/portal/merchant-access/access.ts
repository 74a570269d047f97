import { MerchantAccess } from '../../../sdk/src/merchant/access.ts';
import { clockedFetch } from '../../live/clock.ts';
import { baseUrl } from '../../live/service.ts';

/** Signing in. Its responses tell the service's time to the first page that is shown afterwards. */
export const access = new MerchantAccess({ baseUrl, fetch: clockedFetch });
