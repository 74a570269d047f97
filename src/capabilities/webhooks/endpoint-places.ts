import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../platform/event-store/run-command';
import { webhookEndpoint } from './webhook-endpoint';
import { type EndpointId, idFor, type MerchantId } from '../../kernel/aggregates';

export const MAX_ENDPOINTS = 20;

/**
 * A merchant has a fixed number of endpoint places, and a place is reused only after its endpoint is deleted. Place and
 * turn make up the endpoint's id, so "no stream yet" is the lock across processes: the limit is never exceeded.
 */
@Injectable()
export class EndpointPlaces {
  constructor(private readonly commands: CommandRunner) {}

  /** An unused id, or undefined if every place is taken. Another call may take it first. */
  async freeId(merchantId: MerchantId): Promise<EndpointId | undefined> {
    for (let place = 0; place < MAX_ENDPOINTS; place += 1) {
      const idOf = (turn: number) => idFor.endpoint(merchantId, place, turn);
      const turn = await this.firstUnused(idOf);
      if (turn === 0 || (await this.statusOf(idOf(turn - 1))) === 'deleted') return idOf(turn);
    }
    return undefined;
  }

  /** Turns are used without gaps, so the first unused one is found by doubling and bisecting. */
  private async firstUnused(idOf: (turn: number) => EndpointId): Promise<number> {
    let used = -1;
    let unused = 0;
    while ((await this.statusOf(idOf(unused))) !== undefined) {
      used = unused;
      unused = unused * 2 + 1;
    }
    while (unused - used > 1) {
      const middle = Math.floor((used + unused) / 2);
      if ((await this.statusOf(idOf(middle))) === undefined) unused = middle;
      else used = middle;
    }
    return unused;
  }

  private async statusOf(endpointId: EndpointId) {
    return (await this.commands.fold(webhookEndpoint, endpointId)).state?.status;
  }
}
