/** Work with the same key runs one after another, in order of arrival; different keys do not wait for each other. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key);
    const result = before === undefined ? work() : before.then(work, work);
    this.tails.set(key, result);
    const forget = (): void => {
      if (this.tails.get(key) === result) this.tails.delete(key);
    };
    result.then(forget, forget);
    return result;
  }
}
