import { type LoopbackPeer, startRawPeer } from './loopback-peers';

export type ReceivedMail = Readonly<{ from: string; to: readonly string[]; message: string }>;

export type SmtpPeer = LoopbackPeer & Readonly<{ mails: readonly ReceivedMail[] }>;

/** As much of an SMTP server as a client needs. It refuses the recipients in `refused`. */
export async function startSmtpPeer(refused: readonly string[] = []): Promise<SmtpPeer> {
  const mails: ReceivedMail[] = [];
  const peer = await startRawPeer((socket) => {
    let text = '';
    let data = false;
    let from = '';
    let to: string[] = [];
    const say = (line: string): boolean => socket.write(`${line}\r\n`);

    const command = (line: string): void => {
      const [, address = ''] = /<([^>]*)>/.exec(line) ?? [];
      if (/^(EHLO|HELO)/i.test(line)) say('250 smtp.example.test');
      else if (/^MAIL FROM/i.test(line)) {
        [from, to] = [address, []];
        say('250 sender ok');
      } else if (/^RCPT TO/i.test(line)) {
        if (refused.includes(address)) return void say(`550 5.1.1 <${address}>: no such mailbox`);
        to.push(address);
        say('250 recipient ok');
      } else if (/^DATA/i.test(line)) {
        data = true;
        say('354 go ahead');
      } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
      else say('250 ok');
    };

    say('220 smtp.example.test ESMTP');
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      for (;;) {
        const [ending, skip] = data ? ['\r\n.\r\n', 5] : ['\r\n', 2];
        const end = text.indexOf(ending);
        if (end < 0) return;
        const part = text.slice(0, end);
        text = text.slice(end + skip);
        if (!data) {
          command(part);
          continue;
        }
        data = false;
        mails.push({ from, to, message: part });
        say('250 taken');
      }
    });
  });
  return { ...peer, mails };
}
