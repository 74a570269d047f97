/** A mail with one thing to do in it: follow the link. */
export type Mail = Readonly<{ to: string; subject: string; text: string; html: string; link: string }>;

export interface Mailer {
  /** Resolves when the next station has taken the mail over. A failure never names the recipient or the link. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

export const MAILER = Symbol('Mailer');
