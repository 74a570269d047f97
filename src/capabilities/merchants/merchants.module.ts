import { Module } from '@nestjs/common';
import { DomainProver, HttpsProofTarget } from './domain-prover';
import { MerchantDomainsController } from './merchant-domains.controller';
import { RegisterDomainHandler, VerifyDomainHandler } from './merchant-domains.handlers';
import { MerchantsController } from './merchants.controller';
import { RenameMerchantHandler } from './merchants.handlers';

@Module({
  controllers: [MerchantsController, MerchantDomainsController],
  providers: [HttpsProofTarget, DomainProver, RegisterDomainHandler, VerifyDomainHandler, RenameMerchantHandler],
})
export class MerchantsModule {}
