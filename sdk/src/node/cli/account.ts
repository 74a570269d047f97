import { AgentClient } from '../../agent-client.ts';
import { MerchantClient } from '../../merchant/client.ts';
import { MerchantSession } from '../../merchant/session.ts';
import { CredentialStore, isSameService } from '../credentials.ts';
import { trouble } from './exit-codes.ts';
import { type Terminal } from './command.ts';

const NO_URL = 'where is the service? Set SVC_URL, such as http://127.0.0.1:8787';
const NO_SESSION = 'not signed in: run svc login';

type Session = Readonly<{ baseUrl: string; sessionToken: string }>;

/** Where the service is and who is calling, from the environment and the file. */
export class Account {
  readonly store: CredentialStore;

  constructor({ env }: Pick<Terminal, 'env'>) {
    this.store = new CredentialStore(env);
  }

  get url(): string {
    const { url } = this.store.read();
    if (url === undefined) throw trouble(NO_URL);
    return baseOf(url);
  }

  get session(): Session {
    const baseUrl = this.url;
    const { session_token: sessionToken } = this.store.ofService();
    if (sessionToken === undefined) throw this.signedOut(baseUrl, NO_SESSION);
    return { baseUrl, sessionToken };
  }

  merchant(): MerchantClient {
    return new MerchantClient(this.session);
  }

  merchantSession(): MerchantSession {
    const session = this.session;
    return new MerchantSession(session, session);
  }

  /** Both the merchant's operator and the agent can see payments; uses whichever is signed in. */
  merchantOrAgent(): MerchantClient | AgentClient {
    const baseUrl = this.url;
    const { session_token: sessionToken, connection_token: connectionToken } = this.store.ofService();
    if (sessionToken !== undefined) return new MerchantClient({ baseUrl, sessionToken });
    if (connectionToken !== undefined) return new AgentClient({ baseUrl, connectionToken });
    throw this.signedOut(baseUrl, 'not signed in: run svc login, or set SVC_CONNECTION_TOKEN');
  }

  /** Says so if the file is for another service: its token is sent to no service but its own. */
  private signedOut(baseUrl: string, otherwise: string): Error {
    const { url, session_token, connection_token } = this.store.inFile();
    const isOther = (session_token ?? connection_token) !== undefined && !isSameService(url, baseUrl);
    if (!isOther) return trouble(otherwise);
    return trouble(`the credentials in ${this.store.path} are for ${url}, not for ${baseUrl}: run svc login`);
  }
}

function baseOf(url: string): string {
  let parsed: URL | undefined;
  try {
    parsed = new URL(url);
  } catch {
    // Reported below.
  }
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw trouble(`${url} is not an http or https address`);
  return url.replace(/\/+$/, '');
}
