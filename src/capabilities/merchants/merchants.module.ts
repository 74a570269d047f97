import { Module } from '@nestjs/common';
import { DomainNames } from './domain-names';
import { DomainProver, HttpsProofTarget } from './domain-prover';
import { LookAgain } from './look-again';
import { MerchantDomainsController } from './merchant-domains.controller';
import { GiveUpDomainHandler, RegisterDomainHandler, VerifyDomainHandler } from './merchant-domains.handlers';
import { MerchantsController } from './merchants.controller';
import { RenameMerchantHandler } from './merchants.handlers';

@Module({
  controllers: [MerchantsController, MerchantDomainsController],
  providers: [
    HttpsProofTarget,
    DomainProver,
    DomainNames,
    LookAgain,
    RegisterDomainHandler,
    VerifyDomainHandler,
    GiveUpDomainHandler,
    RenameMerchantHandler,
  ],
})
export class MerchantsModule {}
