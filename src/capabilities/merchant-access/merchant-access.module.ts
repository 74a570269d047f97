import { Module } from '@nestjs/common';
import { MailModule } from '../../platform/mail/mail.module';
import { SendAccessLinkHandler, VerifyEmailHandler } from './access-links.handlers';
import { AccountIdentity } from './account-identity';
import { Grants } from './grants';
import { MailAllowance } from './mail-allowance';
import { MerchantAccountsController } from './merchant-accounts.controller';
import { MerchantChoices } from './merchant-choices';
import { MerchantSessionsController } from './merchant-sessions.controller';
import { OpenOrganization } from './open-organization';
import { OpenOrganizationsReactor } from './open-organizations.reactor';
import { OrganizationsController } from './organizations.controller';
import { CreateMerchantHandler } from './organizations.handlers';
import {
  EndEveryMerchantSessionHandler,
  EndMerchantSessionHandler,
  OpenMerchantSessionHandler,
} from './sessions.handlers';

const handlers = [
  SendAccessLinkHandler,
  VerifyEmailHandler,
  CreateMerchantHandler,
  OpenMerchantSessionHandler,
  EndMerchantSessionHandler,
  EndEveryMerchantSessionHandler,
];

@Module({
  imports: [MailModule],
  controllers: [MerchantAccountsController, OrganizationsController, MerchantSessionsController],
  providers: [
    AccountIdentity,
    MailAllowance,
    Grants,
    MerchantChoices,
    OpenOrganization,
    OpenOrganizationsReactor,
    ...handlers,
  ],
})
export class MerchantAccessModule {}
