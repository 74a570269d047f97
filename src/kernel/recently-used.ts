/** What the entries may take together, and what one of them takes. */
type SizeLimit = Readonly<{ bytes: number; of: (value: unknown) => number }>;

/**
 * The most recently used entries, up to a limit. Two halves: when the younger is full it replaces the elder, and
 * entries that were not used meanwhile are dropped. A single Map evicted from its front would step over every hole left
 * there, each time: with twenty thousand entries that costs more than it saves.
 */
export class RecentlyUsed<Key, Value> {
  private younger = new Map<Key, Value>();
  private elder = new Map<Key, Value>();
  private readonly half: number;
  private readonly halfBytes: number;
  /** Of the younger half, and of what was replaced in it: never less than it takes. */
  private bytes = 0;

  /** With a size where callers decide how large an entry is. */
  constructor(
    most: number,
    private readonly size?: SizeLimit,
  ) {
    this.half = Math.max(1, Math.floor(most / 2));
    this.halfBytes = (size?.bytes ?? Infinity) / 2;
  }

  get(key: Key): Value | undefined {
    const found = this.younger.get(key);
    if (found !== undefined) return found;
    const old = this.elder.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Does not count as a use. */
  peek(key: Key): Value | undefined {
    return this.younger.get(key) ?? this.elder.get(key);
  }

  /** Replaces an existing value, of about the same size; does not count as a use. */
  replace(key: Key, value: Value): void {
    if (this.younger.has(key)) this.younger.set(key, value);
    else if (this.elder.has(key)) this.elder.set(key, value);
  }

  set(key: Key, value: Value): void {
    const bytes = this.size?.of(value) ?? 0;
    // It would leave no room for others. What is known under its key is out of date.
    if (bytes > this.halfBytes) return this.delete(key);
    const isFull = this.younger.size >= this.half && !this.younger.has(key);
    if (isFull || this.bytes + bytes > this.halfBytes) {
      this.elder = this.younger;
      this.younger = new Map();
      this.bytes = 0;
    }
    this.bytes += bytes;
    this.younger.set(key, value);
  }

  delete(key: Key): void {
    this.younger.delete(key);
    this.elder.delete(key);
  }

  clear(): void {
    this.younger.clear();
    this.elder.clear();
    this.bytes = 0;
  }
}
