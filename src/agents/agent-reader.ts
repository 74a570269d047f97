import { Inject, Injectable } from '@nestjs/common';
import { type AgentDocument, agents } from '../../projections/agents.projection';
import { refuse } from '../kernel/errors';
import { type Page, type PageRequest, READ_MODEL, type ReadModel } from '../read-model/read-model.port';

/** A merchant's agents as its operators see them. */
@Injectable()
export class AgentReader {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  async owned(agentId: string, merchantId: string): Promise<AgentDocument> {
    const document = await this.readModel.get(agents, agentId);
    if (document?.merchant_id !== merchantId) throw refuse('resource_not_found');
    return document;
  }

  ofMerchant(merchantId: string, page: PageRequest): Promise<Page<AgentDocument>> {
    return this.readModel.find(agents, 'by_merchant', [merchantId], { ...page, order: 'desc' });
  }
}
