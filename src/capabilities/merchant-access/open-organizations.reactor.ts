import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Reactors } from '../../platform/reacting/reactors';
import { isSpentOnMerchant, OpenOrganization } from './open-organization';

/** If the process died between spending a grant and making its merchant, this makes it after the restart. */
@Injectable()
export class OpenOrganizationsReactor implements OnModuleInit {
  constructor(
    private readonly reactors: Reactors,
    private readonly opening: OpenOrganization,
  ) {}

  onModuleInit(): void {
    this.reactors.add({
      name: 'open-organizations',
      types: ['GrantSpentOnMerchant'],
      react: async (event) => {
        if (isSpentOnMerchant(event)) await this.opening.after(event);
      },
    });
  }
}
