type Run<Result> = { members: string[]; promise: Promise<Result> };

/**
 * Runs work by key, one run after another. Who joins while a run is under way shares the next one with everybody who
 * joins until then: a run always begins after each of its members joined.
 */
export class JoinedRuns<Result> {
  private readonly underWay = new Map<string, Promise<unknown>>();
  private readonly waiting = new Map<string, Run<Result>>();

  constructor(private readonly work: (key: string, members: readonly string[]) => Promise<Result>) {}

  join(key: string, member: string): Promise<Result> {
    const known = this.waiting.get(key);
    if (known !== undefined) {
      known.members.push(member);
      return known.promise;
    }
    const members = [member];
    const before = this.underWay.get(key) ?? Promise.resolve();
    const promise = before.then(
      () => this.begin(key, members),
      () => this.begin(key, members),
    );
    this.waiting.set(key, { members, promise });
    return promise;
  }

  private begin(key: string, members: readonly string[]): Promise<Result> {
    this.waiting.delete(key);
    const run = this.work(key, members).finally(() => {
      if (this.underWay.get(key) === run) this.underWay.delete(key);
    });
    this.underWay.set(key, run);
    return run;
  }
}
