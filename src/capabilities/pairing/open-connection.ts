import { Inject, Injectable } from '@nestjs/common';
import { type Asking, OpenConnection } from '../approvals/open-connection';
import { EVENT_STORE, type EventStore } from '../../platform/event-store/event-store.port';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type PairingSessionApproved, type PairingSessionStarted } from '../../events/pairing-session.events';

const asking: Asking<PairingSessionStarted, PairingSessionApproved> = {
  reactor: 'open-paired-connections',
  category: 'pairing_session',
  asked: 'PairingSessionStarted',
  approved: 'PairingSessionApproved',
  idIn: ({ pairing_session_id }) => pairing_session_id,
};

@Injectable()
export class OpenPairedConnection extends OpenConnection<PairingSessionStarted, PairingSessionApproved> {
  constructor(commands: CommandRunner, reactors: Reactors, @Inject(EVENT_STORE) store: EventStore) {
    super(asking, commands, reactors, store);
  }
}
