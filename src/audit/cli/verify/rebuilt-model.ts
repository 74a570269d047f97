import { projections } from '../../../../projections';
import { AuditIndex } from '../../log/audit-index';
import { type EventStore, type Position, type RecordedEvent } from '../../../platform/event-store/event-store.port';
import { planWrites } from '../../../platform/read-model/plan-writes';
import { type ReadModelStore } from '../../../platform/read-model/read-model.port';
import { type Findings } from './findings';

const BATCH = 500;

/** Our own read model, built from the log as the service builds its own, with the tree of the transparency log. */
export class RebuiltModel {
  private batch: RecordedEvent[] = [];
  private readonly index: AuditIndex;

  constructor(
    store: Pick<EventStore, 'readStream'>,
    readonly model: ReadModelStore,
    private readonly findings: Findings,
  ) {
    const onChanged = ({ message }: Error): void => findings.add('signed-checkpoints', 'the log', message);
    this.index = new AuditIndex(store, model, { onChanged });
  }

  async open(): Promise<void> {
    await this.model.prepare(projections.flatMap(({ collections }) => collections));
    await this.index.open();
  }

  get position(): Position {
    return this.index.position;
  }

  async add(event: RecordedEvent): Promise<void> {
    this.batch.push(event);
    await this.index.add(event);
    if (this.batch.length >= BATCH) await this.store();
  }

  async store(): Promise<void> {
    const batch = this.batch;
    this.batch = [];
    const last = batch.at(-1);
    if (last === undefined) return;
    try {
      const writes = await planWrites(projections, batch, (refs) => this.model.load(refs));
      await this.model.apply(writes, last.position);
    } catch (error) {
      const between = `positions ${batch[0]?.position} to ${last.position}`;
      this.findings.add('read-model', between, `the projections reject these events: ${(error as Error).message}`);
    }
    await this.index.flush();
  }
}
