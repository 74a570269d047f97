import { ServiceClient } from '../../sdk/src/service-client.ts';

/** The service's URL: one folder above the page, whatever path prefix a proxy adds to both. */
export const baseUrl = new URL('..', window.location.href.split(/[?#]/)[0]).href.replace(/\/$/, '');

export const service = new ServiceClient({ baseUrl });
