import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Tag } from '../openapi/described';
import { type Response } from 'express';
import { EVENT_STORE, type EventStore } from '../../platform/event-store/event-store.port';
import { Projector } from '../../platform/projecting/projector';
import { Leadership } from '../../platform/reacting/leadership';
import { READ_MODEL_STORE, type ReadModelStore } from '../../platform/read-model/read-model.port';
import { named, object, oneOf } from '../../http/input/checks';
import { Endpoint } from '../openapi/endpoint.decorator';

const MAX_LAG_SECONDS = 5;
const checkSchema = object({ status: oneOf(['ok', 'failing']) }).schema;
const lag = { problems: () => [], schema: { type: 'number', minimum: 0, description: 'How far it is behind the log' } };
const projectionsSchema = object({ status: oneOf(['ok', 'failing']), lag_seconds: lag }).schema;
const checksSchema = named('HealthChecks', {
  type: 'object',
  properties: { event_store: checkSchema, read_store: checkSchema, projections: projectionsSchema },
});

@Tag('Operations')
@Controller('health')
export class HealthController {
  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(READ_MODEL_STORE) private readonly readModel: ReadModelStore,
    private readonly projector: Projector,
    private readonly leadership: Leadership,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Check whether the process is alive',
    credential: 'none',
    limited: false,
    answer: { status: { type: 'string', const: 'live' } },
  })
  live() {
    return { ok: true, status: 'live' };
  }

  @Get('ready')
  @Endpoint({
    summary:
      'Check whether it can serve: stores reachable and accepting writes, projections within five seconds of the log',
    description: 'While it cannot, the answer is 503 with the same body and ok: false.',
    credential: 'none',
    limited: false,
    answer: { status: { type: 'string' }, checks: checksSchema },
  })
  async ready(@Res({ passthrough: true }) response: Response) {
    const [eventStore, readStore] = await Promise.all([answers(this.events), answers(this.readModel)]);
    const behind = this.projector.lagSeconds();
    // While no instance writes the read model, a create would wait in vain to become readable.
    const caughtUp = this.projector.isFollowing && behind <= MAX_LAG_SECONDS && this.leadership.someoneLeads();
    const checks = {
      event_store: { status: eventStore ? 'ok' : 'failing' },
      read_store: { status: readStore ? 'ok' : 'failing' },
      projections: { status: caughtUp ? 'ok' : 'failing', lag_seconds: behind },
    };
    const ready = Object.values(checks).every(({ status }) => status === 'ok');
    if (!ready) response.status(503).setHeader('Retry-After', '1');
    return { ok: ready, status: ready ? 'ready' : 'not_ready', checks };
  }
}

const answers = (store: { ping(): Promise<void> }): Promise<boolean> =>
  store.ping().then(
    () => true,
    () => false,
  );
