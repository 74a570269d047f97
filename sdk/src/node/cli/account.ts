import { AgentClient } from '../../agent-client.ts';
import { MerchantClient } from '../../merchant/client.ts';
import { MerchantSession } from '../../merchant/session.ts';
import { CredentialStore, type Credentials, isSameService } from '../credentials.ts';
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
    const sessionToken = this.ownToken('session_token', baseUrl);
    if (sessionToken === undefined) throw trouble(NO_SESSION);
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
    const sessionToken = this.ownToken('session_token', baseUrl);
    if (sessionToken !== undefined) return new MerchantClient({ baseUrl, sessionToken });
    const connectionToken = this.ownToken('connection_token', baseUrl);
    if (connectionToken !== undefined) return new AgentClient({ baseUrl, connectionToken });
    throw trouble('not signed in: run svc login, or set SVC_CONNECTION_TOKEN');
  }

  /** A token from the file belongs to the service the file names, and is sent to no other. */
  private ownToken(name: 'session_token' | 'connection_token', baseUrl: string): string | undefined {
    const read: Credentials = this.store.read();
    const filed = this.store.inFile();
    const isFiled = read[name] !== undefined && read[name] === filed[name];
    if (isFiled && !isSameService(filed.url && baseOf(filed.url), baseUrl)) {
      throw trouble(`the credentials in ${this.store.path} are of ${filed.url}, not of ${baseUrl}: run svc login`);
    }
    return read[name];
  }
}

function baseOf(url: string): string {
  let parsed: URL | undefined;
  try {
    parsed = new URL(url);
  } catch {
    // Reported below.
  }
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) throw trouble(`${url} is no http or https address`);
  return url.replace(/\/+$/, '');
}
