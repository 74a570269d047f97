import { processes } from '../child';
import { issuedSecrets, searchIn, throwOnLeaks } from './issued-secrets';

/** The last search: logs of services that ran as processes, and error bodies since the last service stopped. */
afterAll(() => {
  if (issuedSecrets.size > 0) for (const output of processes) searchIn('the log of a process', output());
  throwOnLeaks();
});
