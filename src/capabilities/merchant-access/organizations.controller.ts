import { Body, Controller, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { merchants } from '../../../projections/merchants.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { merchantSchema, merchantView } from '../../access/merchant-view';
import { knownDocument } from '../../http/input/own-documents';
import { Context } from '../../http/server/request-context';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { CreateMerchantInput, expirySchema, grantSchema } from './merchant-access.dto';
import { CreateMerchant } from './organizations.handlers';

@Tag('Merchant access')
@Controller('v1/merchants')
export class OrganizationsController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Create an organization',
    description: 'Spends the grant. The next grant opens a session for the new merchant, which is pending at first.',
    credential: 'none',
    status: 201,
    body: CreateMerchantInput,
    answer: { merchant: merchantSchema, next_grant: grantSchema, next_grant_expires_at: expirySchema },
    errors: ['invalid_grant'],
  })
  async create(@Body() { grant, name }: CreateMerchantInput, @Context() context: CommandContext) {
    const command = new CreateMerchant(grant, name.trim(), context);
    const { merchantId, nextGrant } = await this.commands.execute(command);
    const merchant = await knownDocument(this.readModel, merchants, merchantId);
    return {
      ok: true,
      merchant: merchantView(merchant),
      next_grant: nextGrant.token,
      next_grant_expires_at: nextGrant.expiresAt,
    };
  }
}
