import { scripts } from '../../package.json';

/** What Node is given where users start the service: settings of V8, and the program. */
export const START_COMMAND: readonly string[] = scripts['start:prod'].split(' ').slice(1);
