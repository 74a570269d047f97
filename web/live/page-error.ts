/** An error that the page itself detected, in words for the person: what happened, and what to do about it. */
export class PageError extends Error {
  constructor(
    message: string,
    readonly recovery: string,
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'PageError';
  }
}
