import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { merchants } from '../../../projections/merchants.projection';
import { Endpoint } from '../../http/openapi/endpoint.decorator';
import { Merchant, type MerchantCaller } from '../../access/session.guard';
import { merchantSchema, merchantView } from '../../access/merchant-view';
import { knownDocument } from '../../http/input/own-documents';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';

@ApiTags('Merchants')
@Controller('v1/merchants')
export class MerchantsController {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  @Get('current')
  @Endpoint({ summary: 'Read the session’s merchant', credential: 'session', answer: { merchant: merchantSchema } })
  async current(@Merchant() { merchantId }: MerchantCaller) {
    const merchant = await knownDocument(this.readModel, merchants, merchantId);
    return { ok: true, merchant: merchantView(merchant) };
  }
}
