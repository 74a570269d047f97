import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../platform/event-store/run-command';
import { webhookEndpoint } from './webhook-endpoint';
import { type EndpointId, idFor, type MerchantId } from '../../kernel/aggregates';

export const MOST_ENDPOINTS = 20;

/**
 * A merchant has so many places for endpoints, and a place is taken again only when the endpoint before is deleted. Place
 * and turn make the endpoint's id, so that "no stream yet" is the lock, whichever process asks: there is never one too many.
 */
@Injectable()
export class EndpointPlaces {
  constructor(private readonly commands: CommandRunner) {}

  /** An id nobody has taken yet, or undefined when every place is taken. Another may take it first. */
  async freeId(merchantId: MerchantId): Promise<EndpointId | undefined> {
    for (let place = 0; place < MOST_ENDPOINTS; place += 1) {
      const idOf = (turn: number) => idFor.endpoint(merchantId, place, turn);
      const turn = await this.firstUnused(idOf);
      if (turn === 0 || (await this.statusOf(idOf(turn - 1))) === 'deleted') return idOf(turn);
    }
    return undefined;
  }

  /** Turns are used without gaps, so the first unused one is found by doubling and halving. */
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
