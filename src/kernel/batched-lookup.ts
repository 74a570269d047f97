type Waiting<Key, Value> = Readonly<{
  key: Key;
  resolve: (value: Value) => void;
  reject: (reason: unknown) => void;
}>;

/** No batch waits longer than this for the previous one. */
const MAX_WAIT_MS = 100;

/**
 * Batches lookups of one kind: the first runs with those of the same turn, and those that arrive meanwhile run together
 * after it. So every result is as fresh as if looked up alone. Equal keys are looked up once.
 */
export class BatchedLookup<Key extends readonly string[], Value> {
  private waiting: Waiting<Key, Value>[] = [];
  private isScheduled = false;
  private underWay = 0;
  private begunAt = -Infinity;

  constructor(
    /** Returns the values in the order of the keys. */
    private readonly ask: (keys: readonly Key[]) => Promise<readonly Value[]>,
    private readonly most = 64,
  ) {}

  get(key: Key): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      if (this.underWay === 0 || performance.now() - this.begunAt > MAX_WAIT_MS) this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      void this.next();
    });
  }

  private async next(): Promise<void> {
    const asked = this.waiting.splice(0, this.most);
    if (asked.length === 0) return;
    this.underWay += 1;
    this.begunAt = performance.now();
    try {
      const keys = new Map(asked.map(({ key }) => [JSON.stringify(key), key]));
      const answers = await this.ask([...keys.values()]);
      const byName = new Map([...keys.keys()].map((name, at) => [name, answers[at] as Value]));
      for (const { key, resolve } of asked) resolve(byName.get(JSON.stringify(key)) as Value);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    } finally {
      this.underWay -= 1;
      this.schedule();
    }
  }
}
