import {
  type ConnectInvitationDocument,
  connectInvitationsProjection,
} from '../../../projections/connect-invitations.projection';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type CommandRunner } from '../../platform/event-store/run-command';
import { type Projector } from '../../platform/projecting/projector';
import { type DueSweepers } from '../../platform/reacting/due-sweepers';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { invitationView } from './connect.dto';
import { ExpireInvitations } from './expire-invitations';

const expires_at = '2030-01-01T00:10:00.000Z';
const claimed = {
  id: 'inv_1',
  status: 'claimed',
  open: true,
  expires_at,
  updated_at: '2030-01-01T00:00:00.000Z',
  version: 2,
} as unknown as ConnectInvitationDocument;
const claimant = { agent_id: 'agt_1' } as unknown as ConnectInvitationDocument['claimant'];

/** The command runner is read-only: a read that tried to append would fail. */
const at = (time: string, document = claimed) => {
  const commands = { fold: () => Promise.resolve({ position: 7n }) } as unknown as CommandRunner;
  const projector = { progress: { passed: () => Promise.resolve() } } as unknown as Projector;
  const model = { get: () => Promise.resolve(document) } as unknown as ReadModel;
  const clock = { now: () => new Date(time) };
  return new ExpireInvitations({} as DueSweepers, commands, projector, model, clock).asOfNow('inv_1');
};

describe('reading an invitation', () => {
  it('shows the current state before it expires', async () =>
    expect(await at('2030-01-01T00:09:59.999Z')).toEqual(claimed));

  it('shows from then on that it has expired, and writes nothing', async () =>
    expect(await at(expires_at)).toEqual({ ...claimed, status: 'expired', updated_at: expires_at, version: 3 }));

  it('shows the same once that is recorded, however late', async () => {
    const data = { invitation_id: 'inv_1', expired_at: '2030-01-01T00:10:00.900Z' };
    const event = { type: 'ConnectInvitationExpired', data, version: 3 } as unknown as RecordedEvent;
    const [step] = connectInvitationsProjection.project(event);
    const { document } = step?.next(claimed) as { document: ConnectInvitationDocument };
    expect(invitationView({ ...document, claimant })).toEqual(invitationView({ ...(await at(expires_at)), claimant }));
  });

  it('keeps showing the outcome that was decided in time', async () => {
    const exchanged = { ...claimed, status: 'exchanged', open: null } as ConnectInvitationDocument;
    expect(await at('2031-01-01T00:00:00.000Z', exchanged)).toEqual(exchanged);
  });
});
