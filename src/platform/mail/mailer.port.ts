/** A mail with a single call to action: its link. */
export type Mail = Readonly<{ to: string; subject: string; text: string; html: string; link: string }>;

export interface Mailer {
  /** Resolves when the next hop has accepted the mail. An error never names the recipient or the link. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

export const MAILER = Symbol('Mailer');
