import { isSameService } from '../credentials.ts';
import { MerchantAccess, type VerifiedEmail } from '../../merchant/access.ts';
import { SvcError } from '../../errors.ts';
import { Account } from './account.ts';
import { type Command, type Terminal, textOf } from './command.ts';
import { EXIT, trouble } from './exit-codes.ts';
import { plain } from './table.ts';

export const login: Command = {
  name: 'login',
  takes: '[--merchant <id>]',
  summary: 'Sign in as a merchant’s operator, with an e-mail address and then the mailed link',
  about: [
    '--merchant  the merchant to use if the account has several; without it, svc asks',
    '',
    'Both are read from standard input. The session lasts 8 hours and is stored in the credentials file with mode 0600.',
  ],
  options: { merchant: { type: 'string' } },
  words: 0,
  async run({ values, terminal }) {
    const account = new Account(terminal);
    const baseUrl = account.url;
    // Detect an unusable file before a mail is sent.
    const { url, connection_token, api_key, private_key } = account.store.inFile();
    if ((connection_token ?? api_key ?? private_key) && !isSameService(url, baseUrl)) {
      throw trouble(
        `${account.store.path} holds an agent’s credentials for ${url}: set SVC_CREDENTIALS to another file`,
      );
    }
    const access = new MerchantAccess({ baseUrl });
    const call = { signal: terminal.signal };
    await access.register(await answer(terminal, 'E-mail address: '), call);
    terminal.note('If this address belongs to an account, a link is on its way. It is valid for 15 minutes.');
    const token = tokenIn(await answer(terminal, 'The link, or its token: '));
    const verified = await access.verifyEmail(token, call);
    const choice = await choose(verified, textOf(values, 'merchant'), terminal);
    const input = { grant: verified.session_grant, choice, delivery: 'bearer' } as const;
    const { session_token, session, merchant } = await access.openSession(input, call);
    if (session_token === undefined) throw trouble('the service opened no bearer session');
    account.store.keep({ url: baseUrl, session_token });
    terminal.out(plain(`Signed in as ${merchant.name} (${merchant.merchant_id}) until ${session.expires_at}`));
    return EXIT.ok;
  },
};

export const logout: Command = {
  name: 'logout',
  takes: '',
  summary: 'End the session and delete it from the credentials file',
  about: ['It ends everywhere at once. Without a session there is nothing to do, which is not an error.'],
  options: {},
  words: 0,
  async run({ terminal }) {
    const account = new Account(terminal);
    const { session_token: ended } = account.store.read();
    if (ended === undefined) {
      terminal.note('not signed in');
      return EXIT.ok;
    }
    const client = account.merchant();
    try {
      await client.signOut({ signal: terminal.signal });
    } catch (error) {
      // A session that has already ended is fine.
      if (!(error instanceof SvcError && error.status === 401)) throw error;
    } finally {
      // The file may hold a different session than the environment, even one of another service: keep that one.
      if (account.store.inFile().session_token === ended) account.store.forget('session_token');
    }
    terminal.out('Signed out');
    return EXIT.ok;
  },
};

async function answer(terminal: Terminal, question: string): Promise<string> {
  const line = (await terminal.ask(question))?.trim();
  if (!line) throw trouble('nothing was entered');
  return line;
}

/** The link holds it in `token=`; the token may also be pasted alone. */
function tokenIn(pasted: string): string {
  const [, token = pasted] = /[?&]token=([^&#\s]+)/.exec(pasted) ?? [];
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

async function choose({ merchants }: VerifiedEmail, wanted: string | undefined, terminal: Terminal): Promise<string> {
  const [first] = merchants;
  if (first === undefined)
    throw trouble('this account has no merchant yet: create one in the portal, then sign in again');
  const named = merchants.find(({ merchant_id }) => merchant_id === wanted);
  if (named !== undefined) return named.choice;
  if (wanted !== undefined) throw trouble(`${wanted} is not a merchant of this account`);
  if (merchants.length === 1) return first.choice;
  merchants.forEach(({ name, merchant_id }, index) => terminal.note(plain(`${index + 1}  ${name}  ${merchant_id}`)));
  const chosen = merchants[Number(await answer(terminal, 'Which one (its number): ')) - 1];
  if (chosen === undefined) throw trouble('that is not one of the numbers');
  return chosen.choice;
}
