import { created, paused, resumed, revoked, rotated } from '../capabilities/connections/connection.fixtures';
import { type ConnectionEvent } from '../events/connection.events';
import { connectionInUse } from './connection-in-use';

const after = (...events: readonly object[]): object =>
  (events as readonly ConnectionEvent[]).reduce(connectionInUse.evolve, connectionInUse.initial);
const under = (event: ConnectionEvent, secret_number: number): object => ({
  ...event,
  data: { ...event.data, secret_number },
});

describe('a connection in use', () => {
  it('has a token of its first generation under the first service secret, where nothing else is said', () => {
    expect(after(created)).toMatchObject({ generation: 1, secret: 1 });
  });

  it.each([
    ['made', [under(created, 2)], { generation: 1, secret: 2 }],
    ['rotated', [created, under(rotated, 3)], { generation: 2, secret: 3 }],
    [
      'rotated under the first by an instance that knows no other',
      [under(created, 2), rotated],
      { generation: 2, secret: 1 },
    ],
  ])('has a token under the secret in use when it was %s', (_, events, expected) => {
    expect(after(...events)).toMatchObject(expected);
  });

  it('remembers every credential whose holder was given a token, whatever happens then', () => {
    const handed = (credential_id: string): object => ({
      type: 'ConnectionTokenHandedOver',
      data: { connection_id: created.data.connection_id, credential_id },
    });
    const opened = { ...created, data: { ...created.data, credential_id: 'crd_1' } };
    const events = [opened, handed('crd_2'), paused, handed('crd_3'), resumed, rotated, revoked];
    const credentialIds = ['crd_1', 'crd_2', 'crd_3'];
    expect(after(...events)).toMatchObject({ status: 'revoked', ended: 'wallet', generation: 2, credentialIds });
    expect(after(...events.slice(0, 3))).toMatchObject({ status: 'paused', credentialIds: ['crd_1', 'crd_2'] });
    expect(after(...events.slice(0, 5))).toMatchObject({ status: 'active', credentialIds, agreed: opened.data });
    expect(after(created)).toMatchObject({ credentialIds: [] });
  });
});
