import { Injectable } from '@nestjs/common';
import { type ApiKeyCaller } from '../../http/server/callers';
import { type ConnectionId, idFor, type PaymentId } from '../../kernel/aggregates';
import { CommandRunner } from '../../platform/event-store/run-command';
import { Projector } from '../../platform/projecting/projector';
import { agentPayment } from './agent-payment';

/** Looks up in the log itself what was made under a key. */
@Injectable()
export class PaymentByKey {
  constructor(
    private readonly commands: CommandRunner,
    private readonly projector: Projector,
  ) {}

  /** The payment under the connection's own key, or else under the merchant's key if it belongs to the connection. */
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
      // Another process may just have written it: wait until the read model shows it.
      await this.projector.progress.passed(position);
      return id;
    }
    return undefined;
  }
}
