import { Inject, Injectable } from '@nestjs/common';
import { type AgentDocument, agents } from '../../../projections/agents.projection';
import { ownDocument, ownPage, type OwnPage } from '../../http/input/own-documents';
import { type PageInput } from '../../http/input/pagination';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type AgentId, type MerchantId } from '../../kernel/aggregates';

/** A merchant's agents as its operators see them. */
@Injectable()
export class AgentReader {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  owned(agentId: AgentId, merchantId: MerchantId): Promise<AgentDocument> {
    return ownDocument(this.readModel, agents, agentId, { merchant_id: merchantId });
  }

  ofMerchant(merchantId: MerchantId, input: PageInput): Promise<OwnPage<AgentDocument>> {
    return ownPage(this.readModel, agents, ['by_merchant', merchantId], input);
  }
}
