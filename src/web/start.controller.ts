import { Controller, Get, Inject } from '@nestjs/common';
import { Tag } from '../api/openapi/described';
import { CONFIG, type Config } from '../platform/config';
import { text } from '../http/input/checks';
import { Endpoint } from '../api/openapi/endpoint.decorator';
import { serviceVersion } from './version';

const line = text({ max: 2048 }).schema;

@Tag('Operations')
@Controller()
export class StartController {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  @Get()
  @Endpoint({
    summary: 'What this service is, and where it is described',
    description: 'A browser gets a page with links to the portal, the wallet and this description instead.',
    credential: 'none',
    limited: false,
    answer: { service: line, version: line, docs: line, openapi: line },
  })
  start() {
    const { baseUrl } = this.config;
    return {
      ok: true,
      service: 'svc',
      version: serviceVersion,
      docs: `${baseUrl}/docs`,
      openapi: `${baseUrl}/openapi.json`,
    };
  }
}
