import { Injectable } from '@nestjs/common';
import { type ApiKeyCaller } from '../../http/server/callers';
import { type ConnectionId, idFor, type PaymentId } from '../../kernel/aggregates';
import { CommandRunner } from '../../platform/event-store/run-command';
import { Projector } from '../../platform/projecting/projector';
import { agentPayment } from './agent-payment';

/** What was made under a key, from the log itself. */
@Injectable()
export class PaymentByKey {
  constructor(
    private readonly commands: CommandRunner,
    private readonly projector: Projector,
  ) {}

  /** The payment of the connection's own key, or else of the merchant's key if that is a payment of the connection. */
  async find(
    { merchantId }: ApiKeyCaller,
    key: string,
    connectionId: ConnectionId | undefined,
  ): Promise<PaymentId | undefined> {
    const ids = [
      ...(connectionId === undefined ? [] : [idFor.paymentOfConnectionKey(connectionId, key)]),
      idFor.paymentOfKey(merchantId, key),
    ];
    for (const id of ids) {
      const { state, position } = await this.commands.fold(agentPayment, id);
      if (state.kind !== 'payment' || state.merchantId !== merchantId) continue;
      if (connectionId !== undefined && state.connectionId !== connectionId) continue;
      // What another process wrote a moment ago must be shown by reads before it is answered with.
      await this.projector.progress.passed(position);
      return id;
    }
    return undefined;
  }
}
