/** What a script can tell from the exit code, the same for every command. */
export const EXIT = {
  ok: 0,
  /** The answer is no: a forged message, a payment that ended without being confirmed, a receiver that refused. */
  no: 1,
  /** The call itself is wrong: an unknown command or option. */
  usage: 2,
  /** It could not be found out: no service, no credentials, a file that cannot be read. */
  trouble: 3,
  /** Not decided within the time given. */
  undecided: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with a code and one line on standard error. */
export class Ending extends Error {
  constructor(
    readonly code: ExitCode,
    message: string,
  ) {
    super(message);
  }
}

export const usage = (message: string): Ending => new Ending(EXIT.usage, message);
export const trouble = (message: string): Ending => new Ending(EXIT.trouble, message);
