/** The exit codes, which mean the same for every command. */
export const EXIT = {
  ok: 0,
  /** The result is negative: a forged message, a payment not confirmed, a receiver that refused. */
  no: 1,
  /** The call itself is wrong: an unknown command or option. */
  usage: 2,
  /** The result could not be determined: no service, no credentials, an unreadable file. */
  trouble: 3,
  /** Not decided within the time given. */
  undecided: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with an exit code and one line on standard error. */
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
