import { Body, Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { Tag } from '../../api/openapi/described';
import { CONFIG, type Config } from '../../platform/config';
import { pageSchema } from '../../http/input/own-documents';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { refuse } from '../../kernel/errors';
import { networkNamed, networks } from '../../networks';
import { CheckAddressInput, judgeFacts, networkSchema, networkView, verdictSchema } from './networks.dto';

@Tag('Networks')
@Controller('v1/networks')
export class NetworksController {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  @Get()
  @Endpoint({
    summary: 'List the networks',
    description: 'All of them on one page, with what each supports and whether recipients on it can be activated here.',
    credential: 'none',
    answer: pageSchema('networks', networkSchema),
  })
  list() {
    const { enabledNetworks } = this.config;
    return {
      ok: true,
      networks: networks.map((network) => networkView(network, enabledNetworks)),
      next_cursor: null,
    };
  }

  @Post(':network/check-address')
  @Endpoint({
    summary: 'Check an address as when creating a recipient',
    description:
      'Returns the same issues as creating a recipient would, none if the address is valid. Nothing is stored. ' +
      'Without `asset` the network’s own asset is used.',
    credential: 'none',
    body: CheckAddressInput,
    answer: verdictSchema,
  })
  check(@Param('network') name: string, @Body() input: CheckAddressInput) {
    const network = networkNamed(name);
    if (network === undefined) throw refuse('resource_not_found');
    const judged = judgeFacts(network, input);
    return judged.ok
      ? { ok: true, valid: true, issues: [], facts: judged.facts }
      : { ok: true, valid: false, issues: judged.issues, facts: null };
  }
}
