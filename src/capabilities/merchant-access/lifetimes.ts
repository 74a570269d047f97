/** How long each of these is valid, in seconds. */
export const EMAIL_LINK_SECONDS = 15 * 60;
export const GRANT_SECONDS = 10 * 60;
export const SESSION_SECONDS = 8 * 60 * 60;
