/** An event queue: the earliest first, and of two at the same time the one that was scheduled first. */
export class Timeline {
  now = 0;
  private readonly heap: Readonly<{ at: number; order: number; run: () => void }>[] = [];
  private planned = 0;

  in(ms: number, run: () => void): void {
    this.planned += 1;
    this.heap.push({ at: this.now + ms, order: this.planned, run });
    this.rise(this.heap.length - 1);
  }

  runUntil(end: number): void {
    for (let next = this.heap[0]; next !== undefined && next.at <= end; next = this.heap[0]) {
      this.now = next.at;
      this.removeFirst();
      next.run();
    }
    this.now = end;
  }

  private isBefore(one: number, other: number): boolean {
    const [first, second] = [this.heap[one], this.heap[other]];
    if (first === undefined || second === undefined) return first !== undefined;
    return first.at < second.at || (first.at === second.at && first.order < second.order);
  }

  private swap(one: number, other: number): void {
    const [first, second] = [this.heap[one], this.heap[other]];
    if (first === undefined || second === undefined) return;
    this.heap[one] = second;
    this.heap[other] = first;
  }

  private rise(from: number): void {
    for (let place = from; place > 0;) {
      const parent = (place - 1) >> 1;
      if (!this.isBefore(place, parent)) return;
      this.swap(place, parent);
      place = parent;
    }
  }

  private removeFirst(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    this.heap[0] = last;
    for (let place = 0; ;) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      const smaller = this.isBefore(right, left) ? right : left;
      if (smaller >= this.heap.length || !this.isBefore(smaller, place)) return;
      this.swap(place, smaller);
      place = smaller;
    }
  }
}
