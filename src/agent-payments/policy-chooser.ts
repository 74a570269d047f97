import { Inject, Injectable } from '@nestjs/common';
import { automationPolicies } from '../../projections/automation-policies.projection';
import { refuseInput } from '../kernel/errors';
import { READ_MODEL, type ReadModel } from '../read-model/read-model.port';
import { type AgentPaymentCreated } from './agent-payment.events';

/** Which policy a payment is made under if its caller does not say. */
@Injectable()
export class PolicyChooser {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  /** The one active policy for this connection, network and asset. Between several the caller must choose. */
  async inForceFor({ connection_id, facts }: AgentPaymentCreated['data']): Promise<string | undefined> {
    const equals = [connection_id, facts.network, facts.asset, 'active'];
    const { documents } = await this.readModel.find(automationPolicies, 'in_force', equals, { limit: 2 });
    const [only, another] = documents;
    if (another !== undefined) {
      const message = 'is needed: several active policies apply';
      throw refuseInput([{ code: 'required', field: 'policy_id', message }]);
    }
    return only?.id;
  }
}
