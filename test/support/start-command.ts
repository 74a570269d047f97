import { scripts } from '../../package.json';

/** Node's arguments when users start the service. */
export const START_COMMAND: readonly string[] = scripts['start:prod'].split(' ').slice(1);
