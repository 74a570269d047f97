import { given } from '../../../test/support/given';
import { webhookEndpoint, type WebhookEndpointCommand } from './webhook-endpoint';
import { type WebhookEndpointEvent } from '../../events/webhook-endpoint.events';
import {
  at,
  change,
  changed,
  confirm,
  create,
  created,
  disable,
  disabled,
  enabled,
  otherUrl,
  recover,
  recoveryRequested,
  remove,
  removed,
  rotate,
  rotated,
  rotatedTo,
  tomorrow,
  url,
  verified,
} from './webhook-endpoint.fixtures';

const past = given(webhookEndpoint);
const active = [created, verified];
const fold = (events: readonly WebhookEndpointEvent[]) =>
  events.reduce(webhookEndpoint.evolve, webhookEndpoint.initial);

// A change names the version it was made for, so its repeat is refused instead of doing nothing.
const decide = (events: readonly WebhookEndpointEvent[], command: WebhookEndpointCommand) =>
  webhookEndpoint.decide(command, fold(events));

describe('a webhook endpoint', () => {
  it('is created, pending', () => {
    past().when(create).then(created);
    expect(fold([created])?.status).toBe('pending');
  });
  it('is unknown to another merchant, and to everybody once deleted', () => {
    for (const command of [confirm, change, rotate, disable, recover, remove]) {
      past(...active)
        .when({ ...command, merchantId: 'mer_other' })
        .thenRefused('resource_not_found');
      past().when(command).thenRefused('resource_not_found');
    }
    for (const command of [confirm, change, rotate, recover]) {
      past(...active, removed)
        .when(command)
        .thenRefused('resource_not_found');
    }
  });
  it('that was deleted while its last response was in flight need not be disabled', () =>
    past(...active, removed)
      .when(disable)
      .then());

  it('becomes active when its url has answered', () => past(created).when(confirm).then(verified));
  it('stays disabled if it was disabled after its url was challenged', () => {
    const off = [...active, disabled('merchant')];
    past(...off)
      .when(confirm)
      .thenRefused('version_conflict', { current_version: 3 });
    past(...off)
      .when({ ...confirm, version: 3 })
      .then(verified);
    past(...off, enabled)
      .when(confirm)
      .thenNothing();
  });
  it('does not become active on an answer from another url', () =>
    past(created, changed({ url: otherUrl }, true))
      .when(confirm)
      .thenRefused('version_conflict', { current_version: 2 }));

  it('moves, and must then be verified again', () => {
    expect(decide(active, { ...change, url: otherUrl })).toEqual([changed({ url: otherUrl }, true)]);
    expect(fold([...active, changed({ url: otherUrl }, true)])?.status).toBe('pending');
  });
  it('does not become active by moving', () =>
    past(...active)
      .when({ ...change, url: otherUrl, status: 'active' })
      .thenRefused('invalid_status_transition', { current_status: 'pending' }));
  it('does not become active by asking', () =>
    past(created)
      .when({ ...change, version: 1, status: 'active' })
      .thenRefused('invalid_status_transition', { current_status: 'pending' }));
  it('changes what it listens to without being verified again', () => {
    const events = ['connection.created'];
    expect(decide(active, { ...change, events })).toEqual([changed({ events })]);
    expect(fold([...active, changed({ events })])?.status).toBe('active');
  });
  it('loses its description when it is given null, and keeps it when it is given none', () => {
    const described = [created, changed({ description: 'mine' })];
    expect(decide(described, { ...change, description: null })).toEqual([changed({ description: null })]);
    expect(decide(described, { ...change })).toEqual([]);
  });
  it('is switched off and on', () => {
    expect(decide(active, { ...change, status: 'disabled' })).toEqual([disabled('merchant')]);
    expect(decide([...active, disabled('merchant')], { ...change, version: 3, status: 'active' })).toEqual([enabled]);
  });
  it('stays as it is where it is asked to be so', () => {
    expect(decide(active, { ...change, status: 'active' })).toEqual([]);
    expect(decide([...active, disabled('merchant')], { ...change, version: 3, status: 'disabled' })).toEqual([]);
  });
  it('changes and is switched off or on in one', () => {
    const other = { events: ['connection.created'] };
    expect(decide(active, { ...change, ...other, status: 'disabled' })).toEqual([changed(other), disabled('merchant')]);
    const off = [...active, disabled('merchant')];
    expect(decide(off, { ...change, ...other, version: 3, status: 'active' })).toEqual([changed(other), enabled]);
  });
  it('refuses a change made for another version', () =>
    past(...active)
      .when({ ...change, version: 1, status: 'disabled' })
      .thenRefused('version_conflict', { current_version: 2 }));

  it('stays on if what is gone is the url that it had before', () => {
    const there = { ...verified, data: { ...verified.data, url: otherUrl } } as typeof verified;
    const moved = [...active, changed({ url: otherUrl }, true), there];
    past(...moved)
      .when({ ...disable, url })
      .thenNothing();
    past(...moved)
      .when({ ...disable, url: otherUrl })
      .then(disabled('gone'));
  });
  it('is switched off when it is gone, unless it is off already', () => {
    past(...active)
      .when(disable)
      .then(disabled('gone'));
    past(created).when(disable).thenNothing();
  });
  it('gets a new secret, and keeps the one before', () => {
    past(...active)
      .when(rotate)
      .then(rotated);
    expect(fold([...active, rotated])).toMatchObject({ secretSealed: 's2', previous: [{ secretSealed: 's1' }] });
  });
  it('keeps every secret that has not expired, up to the latest ten', () => {
    const before = (...rotations: readonly [secret: string, at: string, until: string][]) =>
      fold([...active, ...rotations.map((rotation) => rotatedTo(...rotation))])?.previous.map(
        ({ secretSealed, until }) => [secretSealed, until],
      );
    const [noon, tomorrowNoon] = ['2030-01-01T12:00:00.000Z', '2030-01-02T12:00:00.000Z'];
    expect(before(['s2', at, tomorrow], ['s3', noon, tomorrowNoon])).toEqual([
      ['s2', tomorrowNoon],
      ['s1', tomorrow],
    ]);
    const dayAfter = '2030-01-03T00:00:00.000Z';
    expect(before(['s2', at, tomorrow], ['s3', noon, tomorrowNoon], ['s4', tomorrow, dayAfter])).toEqual([
      ['s3', dayAfter],
      ['s2', tomorrowNoon],
    ]);
    const often = Array.from({ length: 12 }, (_, index) => [`s${index + 2}`, at, tomorrow] as [string, string, string]);
    expect(before(...often)?.map(([secret]) => secret)).toEqual([
      's12',
      's11',
      's10',
      's9',
      's8',
      's7',
      's6',
      's5',
      's4',
      's3',
    ]);
  });
  it('recovers only while it is active', () => {
    past(...active)
      .when(recover)
      .then(recoveryRequested);
    past(created).when(recover).thenRefused('invalid_status_transition', { current_status: 'pending' });
  });
  it('is deleted', () =>
    past(...active)
      .when(remove)
      .then(removed));
});
