import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type MerchantDocument, merchants } from '../../../projections/merchants.projection';
import { refuseInput } from '../../kernel/errors';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { secretsEqual } from '../../platform/secrets/tokens';
import { type OpenGrant } from './grants';
import { type AccountId, type GrantId, type MerchantId } from '../../kernel/aggregates';

export type MerchantChoice = Readonly<{ choice: string; merchant: MerchantDocument }>;

const PAGE_SIZE = 200;

/** Which merchants a person may enter with a grant, and how they indicate which one they mean. */
@Injectable()
export class MerchantChoices {
  private readonly key: Buffer;

  constructor(
    secret: ServiceSecret,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {
    this.key = secret.key('merchant-choice');
  }

  async offered(accountId: AccountId, grantId: GrantId): Promise<readonly MerchantChoice[]> {
    const all: MerchantChoice[] = [];
    let after: PageCursor | undefined;
    do {
      const page = await this.readModel.find(merchants, 'by_account', [accountId], {
        limit: PAGE_SIZE,
        after,
        order: 'desc',
      });
      all.push(...page.documents.map((merchant) => ({ choice: this.handle(grantId, merchant.id), merchant })));
      after = page.next ?? undefined;
    } while (after !== undefined);
    return all;
  }

  /** The merchant a session is for. Nothing is spent if it is refused. */
  async pick({ grantId, accountId, merchantId }: OpenGrant, choice: string | undefined): Promise<MerchantId> {
    if (merchantId !== null) {
      if (choice !== undefined)
        throw refuseField('choice', 'not_allowed', 'leave it out: this grant is for one organization');
      return merchantId;
    }
    const offered = await this.offered(accountId, grantId);
    const [first, second] = offered;
    if (first === undefined) {
      throw refuseField(
        'grant',
        'organization_required',
        'there is no organization yet: create one with POST /v1/merchants',
      );
    }
    if (choice === undefined) {
      if (second === undefined) return first.merchant.id;
      throw refuseField('choice', 'required', 'is required: there are several organizations');
    }
    const chosen = offered.find((one) => secretsEqual(one.choice, choice));
    if (chosen === undefined)
      throw refuseField('choice', 'not_allowed', 'must be one of those offered with this grant');
    return chosen.merchant.id;
  }

  /** Valid only together with its grant: a merchant id from elsewhere is not a choice. */
  private handle(grantId: GrantId, merchantId: MerchantId): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([grantId, merchantId]))
      .digest('base64url');
  }
}

const refuseField = (field: string, code: string, message: string) => refuseInput([{ code, field, message }]);
