import { type AgentEvent } from '../src/events/agent.events';
import {
  created,
  credentialActivated,
  credentialRegistered,
  credentialRevoked,
  detailsChanged,
  proofFailed,
  statusChanged,
} from '../src/capabilities/agents/agent.fixtures';
import { someMetadata } from '../test/support/events';
import { type AgentDocument, agentsProjection, type SigningKeyDocument } from './agents.projection';
import { type Document } from '../src/platform/read-model/projection';

type Played = Readonly<{ agent: AgentDocument; key: SigningKeyDocument }>;

function play(...events: readonly AgentEvent[]): Played {
  const documents: Record<string, Document> = {};
  events.forEach((event, index) => {
    const recorded = { ...event, metadata: someMetadata(), stream: 's', version: index + 1, position: 1n };
    for (const { collection, id, next } of agentsProjection.project(recorded)) {
      const key = `${collection.name}/${id}`;
      documents[key] = next(documents[key]).document;
    }
  });
  const [agent, key] = ['agents/', 'agent_signing_keys/'].map((name) =>
    Object.entries(documents).find(([id]) => id.startsWith(name)),
  );
  return { agent: agent?.[1] as AgentDocument, key: key?.[1] as SigningKeyDocument };
}

describe('the agents projection', () => {
  const registered = [created, credentialRegistered];

  it('counts changes to the agent as the version, but not changes to its keys', () => {
    expect(play(...registered, proofFailed).agent.version).toBe(1);
    expect(play(...registered, statusChanged('suspended'), detailsChanged('Billing')).agent.version).toBe(3);
  });

  it('follows status and details', () => {
    const { agent } = play(created, statusChanged('suspended'), detailsChanged('Billing', ['payment.requests.read']));
    expect(agent).toMatchObject({ status: 'suspended', name: 'Billing', allowed_scopes: ['payment.requests.read'] });
  });

  it('follows a credential', () => {
    const steps = [
      registered,
      [...registered, credentialActivated],
      [...registered, credentialActivated, credentialRevoked],
    ];
    expect(steps.map((events) => play(...events).agent.credentials[0]?.status)).toEqual([
      'pending',
      'active',
      'revoked',
    ]);
  });

  it('finds a key by its kid once it is proven, and after it was revoked among those that have ended', () => {
    expect(play(...registered).key).toMatchObject({ kid: 'key-1', public_key: 'K1', state: 'unproven' });
    expect(play(...registered, credentialActivated).key.state).toBe('active');
    expect(play(...registered, credentialActivated, credentialRevoked).key.state).toBe('ended');
    expect(play(...registered, credentialRevoked).key.state).toBe('unproven');
  });

  it('holds no trace of the challenge', () => {
    expect(JSON.stringify(play(...registered))).not.toMatch(/h1|challenge_hash/);
  });
});
