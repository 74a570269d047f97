import { isIP } from 'node:net';
import { createTransport, type Transporter } from 'nodemailer';
import { type Mail, type Mailer } from './mailer.port';

const SETTINGS = {
  pool: 'true',
  maxConnections: '4',
  connectionTimeout: '10000',
  greetingTimeout: '10000',
  socketTimeout: '20000',
  // We write every mail ourselves; nothing in it may make the library read a file or fetch a URL.
  disableFileAccess: 'true',
  disableUrlAccess: 'true',
};

/**
 * Hands mails to an SMTP server. The URL's query may carry the library's own options; `from` among them is the sender,
 * which defaults to no-reply at our own host.
 */
export class SmtpMailer implements Mailer {
  private readonly transport: Transporter;
  private readonly from: string;

  constructor(mailUrl: string, baseUrl: string) {
    const url = new URL(mailUrl);
    this.from = url.searchParams.get('from') ?? `no-reply@${senderHost(baseUrl)}`;
    url.searchParams.delete('from');
    for (const [name, value] of Object.entries(SETTINGS)) {
      if (!url.searchParams.has(name)) url.searchParams.set(name, value);
    }
    this.transport = createTransport(url.href);
  }

  async send({ to, subject, text, html }: Mail): Promise<void> {
    try {
      // As an object the address is used as it is and not parsed as a list.
      await this.transport.sendMail({ from: this.from, to: { name: '', address: to }, subject, text, html });
    } catch (error) {
      // Servers tend to quote the recipient in their refusals; the log must not.
      const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
      const reason = [code, responseCode].filter(Boolean).join(' ');
      throw new Error(`the mail was not accepted: ${reason || 'unknown reason'}`);
    }
  }

  close(): void {
    this.transport.close();
  }
}

function senderHost(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : 'localhost';
}
