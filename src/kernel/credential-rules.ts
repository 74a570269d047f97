import { type Refusal, refuse } from './errors';

/** Every call with a project key is a use; recording each one would cost more than it is worth. */
const USE_RECORDING_INTERVAL_SECONDS = 60;

/** After the clock was set back, the last use may bear a time to come: it is as old as one that far in the past. */
export const isUseWorthRecording = (usedAt: string | null, at: string): boolean =>
  usedAt === null || Math.abs(Date.parse(at) - Date.parse(usedAt)) >= USE_RECORDING_INTERVAL_SECONDS * 1000;

/** For a caller whose device token was just replaced by a concurrent call. */
export const rotatedMeanwhile = ({ version }: Readonly<{ version: number }>): Refusal =>
  refuse('version_conflict', {
    message: 'Another call has just replaced this token. Go on with the token that call was given.',
    details: { current_version: version },
  });

export const hasRunOut = ({ expiresAt }: Readonly<{ expiresAt: string }>, at: string): boolean => at >= expiresAt;
