import { Controller, Get, Headers, Inject, Req, Res } from '@nestjs/common';
import { Tag } from '../openapi/described';
import { type Response } from 'express';
import { type SvcRequest } from '../../http/server/request-context';
import { CONFIG, type Config } from '../../platform/config';
import { errorCatalogue } from '../../kernel/error-catalogue';
import { refuse } from '../../kernel/errors';
import { secretsEqual } from '../../platform/secrets/tokens';
import { flag, integer, list, named, object, oneOf, text } from '../../http/input/checks';
import { Endpoint } from '../openapi/endpoint.decorator';
import { Metrics } from '../../http/operations/metrics';
import { OpenApiDocument } from '../openapi/openapi';
import { nextCursorSchema } from '../../http/input/pagination';

const errorSchema = object({
  code: text({ max: 80 }),
  status: integer(400, 599),
  meaning: text({ max: 500 }),
  recovery: text({ max: 500 }),
  retry: oneOf(['no', 'after_fixing', 'after_refresh', 'later', 'start_again']),
  same_key: flag,
});

@Tag('Operations')
@Controller()
export class OperationsController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly openApi: OpenApiDocument,
  ) {}

  @Get('v1/errors')
  @Endpoint({
    summary: 'Every error code, what it means and what to do',
    description: 'same_key says whether repeating the call with the same idempotency key is safe.',
    credential: 'none',
    answer: {
      errors: { ...list(errorSchema, 200).schema, items: named('ErrorMeaning', errorSchema.schema) },
      next_cursor: nextCursorSchema,
    },
  })
  errors() {
    const errors = Object.entries(errorCatalogue).map(([code, entry]) => ({ code, ...entry }));
    return { ok: true, errors, next_cursor: null };
  }

  @Get('metrics')
  @Endpoint({
    summary: 'Prometheus metrics',
    description: 'Plain text in the Prometheus format. Needs Authorization: Bearer METRICS_TOKEN if that is set.',
    credential: 'none',
    limited: false,
    errors: ['unauthenticated', 'invalid_token', 'rate_limited'],
    answer: {},
    media: { types: { 'text/plain': { type: 'string' } }, only: true },
  })
  async scrape(@Headers('authorization') authorization: string | undefined, @Res() response: Response): Promise<void> {
    this.checkToken(authorization);
    response.type(this.metrics.registry.contentType).send(await this.metrics.text());
  }

  @Get('openapi.json')
  @Endpoint({
    summary: 'This document',
    credential: 'none',
    answer: {},
    media: { types: { 'application/json': { type: 'object', required: ['openapi', 'paths'] } }, only: true },
  })
  async document(@Req() request: SvcRequest, @Res() response: Response): Promise<void> {
    const isZipped = request.acceptsEncodings('gzip') === 'gzip';
    const bytes = await (isZipped ? this.openApi.zipped : this.openApi.bytes);
    response.set({
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(bytes.length),
      Vary: 'Accept-Encoding',
      ...(isZipped ? { 'Content-Encoding': 'gzip' } : {}),
    });
    // All callers share one buffer: a slow reader keeps no copy of its own in memory.
    response.end(bytes);
  }

  private checkToken(authorization: string | undefined): void {
    const { metricsToken } = this.config;
    if (metricsToken === undefined) return;
    if (!/^bearer(\s|$)/i.test(authorization ?? '')) throw refuse('unauthenticated');
    const [, given = ''] = /^bearer\s+(\S+)$/i.exec(authorization ?? '') ?? [];
    if (!secretsEqual(given, metricsToken)) throw refuse('invalid_token');
  }
}
