import { type WebhookEndpointCommand } from './webhook-endpoint';
import { type DisabledReason, type WebhookEndpointEvent } from '../../events/webhook-endpoint.events';

const endpointId = 'whe_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const merchantId = 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const own = { endpoint_id: endpointId, merchant_id: merchantId } as const;
const by = { endpointId, merchantId } as const;

export const at = '2030-01-01T00:00:00.000Z';
export const tomorrow = '2030-01-02T00:00:00.000Z';
export const url = 'https://shop.example/hook';
export const otherUrl = 'https://shop.example/other';

const about = { url, events: null, description: null };
export const create = {
  kind: 'create',
  ...by,
  ...about,
  secretSealed: 's1',
  at,
} as const satisfies WebhookEndpointCommand;
export const confirm = { kind: 'confirm', ...by, url, version: 1, at } as const satisfies WebhookEndpointCommand;
export const change = { kind: 'change', ...by, version: 2, at } as const satisfies WebhookEndpointCommand;
export const rotate = {
  kind: 'rotate-secret',
  ...by,
  secretSealed: 's2',
  previousUntil: tomorrow,
  at,
} as const satisfies WebhookEndpointCommand;
export const disable = { kind: 'disable', ...by, reason: 'gone', at } as const satisfies WebhookEndpointCommand;
export const recover = {
  kind: 'recover',
  ...by,
  recoveryId: 'req_1',
  since: at,
  at,
} as const satisfies WebhookEndpointCommand;
export const remove = { kind: 'delete', ...by, at } as const satisfies WebhookEndpointCommand;

export const createdWith = (secret_sealed: string): WebhookEndpointEvent => ({
  type: 'WebhookEndpointCreated',
  data: { ...own, ...about, secret_sealed, created_at: at },
});
export const created = createdWith('s1');
export const verified: WebhookEndpointEvent = {
  type: 'WebhookEndpointVerified',
  data: { ...own, url, verified_at: at },
};
export const changed = (changes: object, needs_verification = false): WebhookEndpointEvent => ({
  type: 'WebhookEndpointChanged',
  data: { ...own, ...about, ...changes, needs_verification, changed_at: at },
});
export const rotatedTo = (secret_sealed: string, rotated_at: string, previous_until: string): WebhookEndpointEvent => ({
  type: 'WebhookEndpointSecretRotated',
  data: { ...own, secret_sealed, previous_until, rotated_at },
});
export const rotated = rotatedTo('s2', at, tomorrow);
export const disabled = (reason: DisabledReason): WebhookEndpointEvent => ({
  type: 'WebhookEndpointDisabled',
  data: { ...own, reason, disabled_at: at },
});
export const enabled: WebhookEndpointEvent = { type: 'WebhookEndpointEnabled', data: { ...own, enabled_at: at } };
export const recoveryRequested: WebhookEndpointEvent = {
  type: 'WebhookEndpointRecoveryRequested',
  data: { ...own, recovery_id: 'req_1', since: at, requested_at: at },
};
export const removed: WebhookEndpointEvent = { type: 'WebhookEndpointDeleted', data: { ...own, deleted_at: at } };
