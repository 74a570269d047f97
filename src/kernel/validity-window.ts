type Window = Readonly<{ valid_from: string; valid_until: string }>;

/** Includes `valid_from`, excludes `valid_until`. All times have the log's format, so they compare as text. */
export const isWithin = ({ valid_from, valid_until }: Window, at: string): boolean =>
  at >= valid_from && at < valid_until;
