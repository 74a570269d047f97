import { escaped } from '../../access/operator-mail';
import { type Mail } from '../../platform/mail/mailer.port';
import { EMAIL_LINK_SECONDS } from './lifetimes';

/** The same mail for everyone who asks: new, returning, or halfway through setting up. */
export function accessMail(to: string, baseUrl: string, token: string): Mail {
  const link = `${baseUrl}/portal/#/verify?token=${token}`;
  const { host } = new URL(baseUrl);
  const minutes = EMAIL_LINK_SECONDS / 60;
  const before = `Someone asked to sign in to the merchant portal at ${host} with this address.`;
  const how = `Follow this link to continue. It works once, within ${minutes} minutes:`;
  const after = 'If it was not you, ignore this mail: nothing happens unless the link is used.';
  return {
    to,
    subject: `Your sign-in link for ${host}`,
    text: [before, '', how, link, '', after, ''].join('\n'),
    html: `<!doctype html>
<html lang="en">
  <body style="font-family: sans-serif; line-height: 1.5; color: #1a1a1a">
    <p>${escaped(before)}</p>
    <p>${escaped(how)}</p>
    <p><a href="${escaped(link)}">${escaped(link)}</a></p>
    <p>${escaped(after)}</p>
  </body>
</html>
`,
    link,
  };
}
