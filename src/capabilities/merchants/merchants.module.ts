import { Module } from '@nestjs/common';
import { DomainProver, HttpsProofTarget } from './domain-prover';
import { MerchantDomainsController } from './merchant-domains.controller';
import { RegisterDomainHandler, VerifyDomainHandler } from './merchant-domains.handlers';
import { MerchantsController } from './merchants.controller';

@Module({
  controllers: [MerchantsController, MerchantDomainsController],
  providers: [HttpsProofTarget, DomainProver, RegisterDomainHandler, VerifyDomainHandler],
})
export class MerchantsModule {}
