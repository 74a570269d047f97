import { ServiceClient } from '../../sdk/src/service-client.ts';

/** Where the service is: the page stands one folder below it, whatever path a proxy puts before both. */
export const baseUrl = new URL('..', window.location.href.split(/[?#]/)[0]).href.replace(/\/$/, '');

export const service = new ServiceClient({ baseUrl });
