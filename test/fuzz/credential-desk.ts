import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { createApiKey } from '../support/agent-payments';
import { createActiveAgent } from '../support/agents';
import { bearing, claimInvitation, connectAgent, mustBe } from '../support/connections';
import { registerDevice } from '../support/devices';
import { call } from '../support/http';
import { grantFor, signIn } from '../support/merchant';
import { type Credentials } from './corpora';
import { type RunningService, type Stage } from './target';
import { workingBodies } from './working-bodies';

type Headers = Readonly<Record<string, string>>;
type Service = Pick<RunningService, 'url' | 'dataDir'>;
/** How to obtain a credential of one security scheme, and a read that shows whether it still works. */
type Source = Readonly<{ issue(): Promise<Headers>; probe: string }>;

export type CredentialDesk = Readonly<{
  url: string;
  /** One of each kind, all of them currently valid. */
  all(): Promise<Credentials>;
  close(): Promise<void>;
}>;

/** How long a credential that worked is handed out without checking it again. */
const TRUSTED_MS = 500;

/**
 * Hands out a working credential for each security scheme of the document, as headers, and parts of bodies that refer
 * to existing things. Fuzzing ends sessions, rotates tokens and revokes connections; dead credentials are replaced.
 */
export async function openCredentialDesk(service: Service, stage: Stage): Promise<CredentialDesk> {
  const sources = sourcesOf(service, stage);
  const bodies = workingBodies(service, stage);
  const held = new Map<string, Readonly<{ headers: Headers; seen: number }>>();

  async function credential(scheme: string): Promise<Headers> {
    const source = sources[scheme];
    if (source === undefined) throw new Error(`no credential for the scheme ${scheme}`);
    const known = held.get(scheme);
    if (known !== undefined) {
      if (Date.now() - known.seen < TRUSTED_MS) return known.headers;
      const { status } = await call(service.url + source.probe, { headers: known.headers });
      held.set(scheme, { ...known, seen: Date.now() });
      if (status !== 401 && status !== 403) return known.headers;
    }
    const headers = await source.issue();
    held.set(scheme, { headers, seen: Date.now() });
    return headers;
  }

  async function answerTo(path: string): Promise<unknown> {
    const [, what, name = ''] = path.split('/', 3);
    if (what === 'credential') return credential(name);
    return (await bodies[decodeURIComponent(name)]?.()) ?? {};
  }

  const server = createServer((request, response) => {
    answerTo(request.url ?? '').then(
      (answer) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    all: async () => {
      const entries: [string, Headers][] = [];
      for (const scheme of Object.keys(sources)) entries.push([scheme, await credential(scheme)]);
      const known = new Map(entries);
      return (scheme) => known.get(scheme) ?? {};
    },
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

const NOTHING = 'con_01JZ5Y0W3X0000000000000000';

function sourcesOf(service: Service, { merchant, agent: first, baseUrl }: Stage): Readonly<Record<string, Source>> {
  const grant = async (delivery: 'cookie' | 'bearer') => {
    const { grant: held, merchants } = await grantFor(service, merchant.email);
    const choice = merchants.find(({ merchant_id }) => merchant_id === merchant.merchantId)?.choice;
    return { grant: held, choice, delivery };
  };
  const operator = async () => (await signIn(service, merchant.email, await grant('cookie'))).headers;
  /** The agent is replaced when fuzzing has suspended it or revoked its key. */
  let current = first;
  const agent = {
    token: async (): Promise<string> => {
      try {
        return await current.token();
      } catch {
        current = await createActiveAgent(service, { headers: await operator() }, { baseUrl });
        return current.token();
      }
    },
  };
  return {
    session: { issue: operator, probe: '/v1/merchants/current' },
    session_token: {
      issue: async () => {
        const opened = await call(`${service.url}/v1/merchant-sessions`, { body: await grant('bearer') });
        return bearing(mustBe(201, opened).body.session_token as string);
      },
      probe: '/v1/merchants/current',
    },
    device: { issue: async () => (await registerDevice(service)).headers, probe: '/v1/connections' },
    agent: { issue: async () => bearing(await agent.token()), probe: `/v1/pairing/sessions/${NOTHING}?code=A` },
    claim: {
      issue: async () => bearing((await claimInvitation(service, agent, await registerDevice(service))).claimToken),
      probe: `/v1/connect-invitations/${NOTHING}`,
    },
    connection: {
      issue: async () => bearing((await connectAgent(service, agent, await registerDevice(service))).connectionToken),
      probe: '/v1/payment-requests',
    },
    api_key: {
      issue: async () => ({ 'x-svc-api-key': (await createApiKey(service, { headers: await operator() })).secret }),
      probe: '/v1/agent-payments',
    },
  };
}
