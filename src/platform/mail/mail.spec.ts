import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SmtpPeer, startSmtpPeer } from '../../../test/support/smtp-peer';
import { openMailer } from './mail.module';
import { type Mail } from './mailer.port';
import { type Config } from '../config';

const mailTo = (to: string): Mail => ({
  to,
  subject: 'Your link',
  text: 'Follow https://svc.test/portal/#/verify?token=svc_el_1\n',
  html: '<p>Follow <a href="https://svc.test/portal/#/verify?token=svc_el_1">this</a></p>',
  link: 'https://svc.test/portal/#/verify?token=svc_el_1',
});

describe('the outbox', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'svc-mail-'))));
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  const mailer = () => openMailer({ mailUrl: 'outbox:', dataDir, baseUrl: 'http://svc.test' } as Config);
  const file = () => join(dataDir, 'outbox.jsonl');

  it('holds one JSON object per line, readable only by the owner', async () => {
    await (await mailer()).send(mailTo('a@example.com'));
    await (await mailer()).send(mailTo('b@example.com'));
    const lines = readFileSync(file(), 'utf8').split('\n');
    const { html: _, ...first } = mailTo('a@example.com');
    const { html: __, ...second } = mailTo('b@example.com');
    expect(lines.slice(0, -1).map((line) => JSON.parse(line) as unknown)).toEqual([first, second]);
    expect(lines.at(-1)).toBe('');
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('restricts a file that others could read', async () => {
    writeFileSync(file(), '');
    chmodSync(file(), 0o644);
    await (await mailer()).send(mailTo('a@example.com'));
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('keeps lines whole when many write at once', async () => {
    const one = await mailer();
    await Promise.all(Array.from({ length: 200 }, (_, index) => one.send(mailTo(`a${index}@example.com`))));
    const lines = readFileSync(file(), 'utf8').split('\n').slice(0, -1);
    expect(new Set(lines.map((line) => (JSON.parse(line) as Mail).to)).size).toBe(200);
  });
});

describe('mail over SMTP', () => {
  let peer: SmtpPeer;
  beforeEach(async () => {
    peer = await startSmtpPeer(['nobody@example.com']);
  });
  afterEach(() => peer.close());

  const sending = async (query: string, baseUrl: string, mail: Mail): Promise<void> => {
    const mailer = await openMailer({ mailUrl: `smtp://127.0.0.1:${peer.port}${query}`, baseUrl } as Config);
    try {
      await mailer.send(mail);
    } finally {
      mailer.close();
    }
  };

  it('hands over text and HTML, from no-reply at our own host', async () => {
    await sending('', 'https://pay.example.com', mailTo('a@example.com'));
    const [mail] = peer.mails;
    expect(mail).toMatchObject({ from: 'no-reply@pay.example.com', to: ['a@example.com'] });
    expect(mail?.message).toMatch(/^Subject: Your link\r$/m);
    expect(mail?.message).toContain('multipart/alternative');
    expect(mail?.message).toContain('text/plain');
    expect(mail?.message).toContain('text/html');
  });

  it('uses the sender named in the address', async () => {
    await sending('/?from=hello%40shop.example', 'http://127.0.0.1:8787', mailTo('a@example.com'));
    expect(peer.mails[0]?.from).toBe('hello@shop.example');
  });

  it('has a sender even if the service has no host name', async () => {
    await sending('', 'http://[::1]:8787', mailTo('a@example.com'));
    expect(peer.mails[0]?.from).toBe('no-reply@localhost');
  });

  it('reports that a mail was refused, but not the recipient', async () => {
    const failure = sending('', 'https://pay.example.com', mailTo('nobody@example.com'));
    await expect(failure).rejects.toThrow(/^the mail was not accepted: EENVELOPE 550$/);
    await expect(failure).rejects.not.toThrow(/nobody|svc_el/);
  });
});
