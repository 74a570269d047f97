import { Injectable } from '@nestjs/common';
import { type Asking, OpenConnection } from '../approvals/open-connection';
import { type PairingSessionApproved, type PairingSessionStarted } from '../../events/pairing-session.events';
import { ignored, reactorTo } from '../../platform/reacting/reactor';

const asking: Asking<PairingSessionStarted, PairingSessionApproved> = {
  category: 'pairing_session',
  asked: 'PairingSessionStarted',
  approved: 'PairingSessionApproved',
  reactor: (open) =>
    reactorTo<'pairing_session'>('open-paired-connections', {
      PairingSessionStarted: ignored,
      PairingCodeMissed: ignored,
      PairingSessionApproved: ({ data }) => open(data.pairing_session_id),
      PairingSessionRejected: ignored,
      PairingSessionExpired: ignored,
      PairingTokenCollected: ignored,
    }),
};

@Injectable()
export class OpenPairedConnection extends OpenConnection<PairingSessionStarted, PairingSessionApproved> {
  protected readonly asking = asking;
}
