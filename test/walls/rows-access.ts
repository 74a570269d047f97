import { randomBytes } from 'node:crypto';
import { type AssertionParts, signAssertion } from '../support/agent-client';
import { BASE_URL } from '../support/agents';
import { mustBe } from '../support/connections';
import { call } from '../support/http';
import { grantFor, linkTokenFor } from '../support/merchant';
import { type Row, type WrongBody } from './row';
import { type World } from './world';

const newPerson = (() => {
  let people = 0;
  return (): string => `walls-${(people += 1)}@example.test`;
})();

/** An assertion by our agent, valid once. */
const assertionOf = ({ us, furnishing }: World, changes: Partial<AssertionParts> = {}): string =>
  signAssertion(us.agent.keyPair, {
    kid: us.agent.kid,
    audience: `${BASE_URL}/v1/agent-auth/token`,
    agentId: us.agent.agentId,
    now: furnishing.clock.now(),
    ...changes,
  });

const nobodys = (prefix: string): string => prefix + randomBytes(48).toString('base64url');

/** Links or grants that are not valid, or no longer; all look the same from outside. */
const wrongGrants = (field: string, tokens: Readonly<Record<string, string>>, more: object = {}): WrongBody[] =>
  Object.entries(tokens).map(([name, token]) => ({
    name,
    body: { ...more, [field]: token },
    outcome: 'invalid_grant',
  }));

async function wrongSessionGrants(world: World, more: object = {}): Promise<readonly WrongBody[]> {
  const { service, us, ended } = world;
  const spent = await grantFor(service, newPerson());
  mustBe(201, await call(`${service.url}/v1/merchants`, { body: { grant: spent.grant, name: 'Shop' } }));
  const tokens = {
    nonsense: 'nonsense',
    nobody: nobodys('svc_sg_'),
    expired: ended.expiredGrant,
    spent: spent.grant,
    link: await linkTokenFor(service, newPerson()),
    session: us.sessionToken,
  };
  return wrongGrants('grant', tokens, more);
}

async function wrongAssertions(world: World): Promise<readonly WrongBody[]> {
  const { service, us, them, furnishing } = world;
  const now = furnishing.clock.now();
  const used = assertionOf(world);
  mustBe(200, await call(`${service.url}/v1/agent-auth/token`, { body: { assertion: used } }));
  const earlier = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);
  const signed = (name: string, outcome: WrongBody['outcome'], assertion: string): WrongBody => ({
    name,
    outcome,
    body: { assertion },
  });
  const stolenName = signAssertion(them.agent.keyPair, {
    kid: us.agent.kid,
    audience: `${BASE_URL}/v1/agent-auth/token`,
    agentId: us.agent.agentId,
    now,
  });
  return [
    signed('nonsense', 'invalid_assertion', 'nonsense'),
    signed('agent token', 'invalid_assertion', await us.agent.token()),
    signed('expired', 'invalid_assertion', assertionOf(world, { now: earlier(1) })),
    signed('from the future', 'clock_skew', assertionOf(world, { now: earlier(-1) })),
    signed('meant for another service', 'invalid_assertion', assertionOf(world, { audience: 'https://other.example' })),
    signed('another key under our name', 'invalid_assertion', stolenName),
    signed('used', 'assertion_replayed', used),
  ];
}

/** Open routes, and those that issue a credential for what the body holds; a credential in a header has no effect. */
export const accessRows: Readonly<Record<string, Row>> = {
  'GET /': { wall: 'open', own: 200 },
  'GET /health': { wall: 'open', own: 200 },
  'GET /health/ready': { wall: 'open', own: 200 },
  'GET /v1/errors': { wall: 'open', own: 200 },
  'GET /v1/networks': { wall: 'open', own: 200 },
  'POST /v1/networks/{network}/check-address': {
    wall: 'open',
    own: 200,
    parts: () => ({ path: { network: 'stellar_testnet' }, body: { address: 'nonsense' } }),
  },
  'GET /openapi.json': { wall: 'open', own: 200 },
  'GET /metrics': { wall: 'metrics', own: 200 },
  'POST /v1/wallet-devices': { wall: 'open', own: 201, parts: () => ({ body: { name: 'Phone' } }) },
  'POST /v1/merchant-accounts/registrations': {
    wall: 'open',
    own: 202,
    parts: () => ({ body: { email: newPerson() } }),
  },
  'POST /v1/merchant-accounts/email-verifications': {
    wall: 'open',
    own: 200,
    parts: async ({ service }) => ({ body: { token: await linkTokenFor(service, newPerson()) } }),
    wrongBodies: async ({ service, ended }) => {
      const spent = await linkTokenFor(service, newPerson());
      const verify = `${service.url}/v1/merchant-accounts/email-verifications`;
      mustBe(200, await call(verify, { body: { token: spent } }));
      const { grant } = await grantFor(service, newPerson());
      const nobody = nobodys('svc_el_');
      return wrongGrants('token', { nonsense: 'nonsense', nobody, expired: ended.expiredLink, spent, grant });
    },
  },
  'POST /v1/merchants': {
    wall: 'open',
    own: 201,
    parts: async ({ service }) => ({ body: { grant: (await grantFor(service, newPerson())).grant, name: 'Shop' } }),
    wrongBodies: (world) => wrongSessionGrants(world, { name: 'Shop' }),
  },
  'POST /v1/merchant-sessions': {
    wall: 'open',
    own: 201,
    parts: async ({ service, us }) => {
      const { grant, merchants } = await grantFor(service, us.merchant.email);
      return { body: { grant, choice: merchants[0]?.choice } };
    },
    wrongBodies: async (world) => {
      const { service, us, them } = world;
      const { grant } = await grantFor(service, us.merchant.email);
      const { merchants } = await grantFor(service, them.merchant.email);
      const choice = merchants[0]?.choice;
      const stolen: WrongBody = {
        name: 'a choice of another grant',
        body: { grant, choice },
        outcome: 'validation_failed',
      };
      return [...(await wrongSessionGrants(world)), stolen];
    },
  },
  'GET /v1/merchant-sessions': { wall: 'session', own: 200 },
  'GET /v1/merchant-sessions/current': { wall: 'session', own: 200 },
  'POST /v1/agent-auth/token': {
    wall: 'open',
    own: 200,
    parts: (world) => ({ body: { assertion: assertionOf(world) } }),
    wrongBodies: wrongAssertions,
  },
};
