import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { SecretsInUse } from './standing';

const seeing = (...events: readonly [type: string, data: object][]): SecretsInUse => {
  const inUse = new SecretsInUse();
  for (const [type, data] of events) inUse.see({ type, data } as RecordedEvent);
  return inUse;
};
const connection_id = 'con_1';
const endpoint_id = 'whe_1';

describe('what depends on which service secret', () => {
  it('is the first secret by default', () => {
    const inUse = seeing(
      ['ConnectionCreated', { connection_id }],
      ['WebhookEndpointCreated', { endpoint_id, secret_sealed: 'c2VhbGVk' }],
    );
    expect(inUse.on(1)).toEqual({ connections: [connection_id], endpoints: [endpoint_id] });
    expect(inUse.on(2)).toEqual({ connections: [], endpoints: [] });
  });

  it('moves on with each rotation of its own', () => {
    const inUse = seeing(
      ['ConnectionCreated', { connection_id }],
      ['ConnectionCreated', { connection_id: 'con_2', secret_number: 2 }],
      ['WebhookEndpointCreated', { endpoint_id, secret_sealed: 'c2VhbGVk' }],
      ['ConnectionTokenRotated', { connection_id, generation: 2, secret_number: 3 }],
      ['WebhookEndpointSecretRotated', { endpoint_id, secret_sealed: '3.c2VhbGVk' }],
    );
    expect(inUse.on(1)).toEqual({ connections: [], endpoints: [] });
    expect(inUse.on(2)).toEqual({ connections: ['con_2'], endpoints: [] });
    expect(inUse.on(3)).toEqual({ connections: [connection_id], endpoints: [endpoint_id] });
  });

  it('ends with the connection or the endpoint', () => {
    const inUse = seeing(
      ['ConnectionCreated', { connection_id }],
      ['WebhookEndpointCreated', { endpoint_id, secret_sealed: 'c2VhbGVk' }],
      ['ConnectionRevoked', { connection_id }],
      ['WebhookEndpointDeleted', { endpoint_id }],
    );
    expect(inUse.on(1)).toEqual({ connections: [], endpoints: [] });
  });
});
