import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Reactors } from '../../platform/reacting/reactors';
import { OpenOrganization } from './open-organization';
import { ignored, reactorTo } from '../../platform/reacting/reactor';

/** If the process died between spending a grant and creating its merchant, creates it after the restart. */
@Injectable()
export class OpenOrganizationsReactor implements OnModuleInit {
  constructor(
    private readonly reactors: Reactors,
    private readonly opening: OpenOrganization,
  ) {}

  onModuleInit(): void {
    this.reactors.add(
      reactorTo<'grant'>('open-organizations', {
        GrantIssued: ignored,
        GrantSpentOnMerchant: (event) => this.opening.after(event),
        GrantSpentOnSession: ignored,
      }),
    );
  }
}
