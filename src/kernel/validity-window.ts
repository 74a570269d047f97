type Window = Readonly<{ valid_from: string; valid_until: string }>;

/** From its first moment, up to but not at its last. Times have the one form of the log, and compare as text. */
export const isWithin = ({ valid_from, valid_until }: Window, at: string): boolean =>
  at >= valid_from && at < valid_until;
