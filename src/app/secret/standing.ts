import { is } from '../../events';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { secretOf } from '../../platform/secrets/service-secret';

/** What still uses something that was made under a secret. */
export type Standing = Readonly<{ connections: readonly string[]; endpoints: readonly string[] }>;

/** Which service secret each working connection token and webhook secret was made under. */
export class SecretsInUse {
  private readonly connections = new Map<string, number>();
  private readonly endpoints = new Map<string, number>();

  see(event: RecordedEvent): void {
    if (is(event, 'ConnectionCreated') || is(event, 'ConnectionTokenRotated')) {
      this.connections.set(event.data.connection_id, event.data.secret_number ?? 1);
    }
    if (is(event, 'ConnectionRevoked')) this.connections.delete(event.data.connection_id);
    if (is(event, 'WebhookEndpointCreated') || is(event, 'WebhookEndpointSecretRotated')) {
      this.endpoints.set(event.data.endpoint_id, secretOf(event.data.secret_sealed));
    }
    if (is(event, 'WebhookEndpointDeleted')) this.endpoints.delete(event.data.endpoint_id);
  }

  on(number: number): Standing {
    const idsOf = (all: ReadonlyMap<string, number>): readonly string[] =>
      [...all].flatMap(([id, secret]) => (secret === number ? [id] : []));
    return { connections: idsOf(this.connections), endpoints: idsOf(this.endpoints) };
  }
}
