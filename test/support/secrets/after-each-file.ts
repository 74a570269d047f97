import { processes } from '../child';
import { handedOut, searchIn, tellLeaks } from './handed-out';

/** The last search: logs of services that ran as processes, and error bodies since the last service stopped. */
afterAll(() => {
  if (handedOut.size > 0) for (const output of processes) searchIn('the log of a process', output());
  tellLeaks();
});
