/** What both ends of a worker thread's channel have in common. */
type Port = Readonly<{
  postMessage(message: Message): void;
  on(event: 'message', listener: (m: Message) => void): unknown;
}>;

type Message =
  | Readonly<{ kind: 'notify'; name: string; value: unknown }>
  | Readonly<{ kind: 'ask'; name: string; value: unknown; id: number }>
  | Readonly<{ kind: 'answer'; id: number; value: unknown }>
  | Readonly<{ kind: 'failure'; id: number; message: string }>;

type Waiting = Readonly<{ resolve: (value: unknown) => void; reject: (reason: Error) => void }>;

/** A channel between two threads of one process: notifications, and requests that are answered once. */
export class ThreadLink {
  private readonly listeners = new Map<string, ((value: unknown) => void)[]>();
  private readonly answerers = new Map<string, (value: unknown) => Promise<unknown>>();
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;
  private ended: Error | undefined;

  private port: Port | undefined;

  constructor(port?: Port) {
    if (port !== undefined) this.connect(port);
  }

  /** Before this call there is no peer: notifications are lost and requests fail. */
  connect(port: Port): void {
    this.port = port;
    port.on('message', (message) => this.receive(message));
  }

  notify(name: string, value?: unknown): void {
    this.post({ kind: 'notify', name, value });
  }

  /** Listeners are called in the order in which they were added. */
  onNotified<T>(name: string, listener: (value: T) => void): void {
    const known = this.listeners.get(name) ?? [];
    this.listeners.set(name, [...known, listener as (value: unknown) => void]);
  }

  ask<T>(name: string, value?: unknown): Promise<T> {
    if (this.ended !== undefined || this.port === undefined)
      return Promise.reject(this.ended ?? new Error('the other thread has not begun'));
    this.asked += 1;
    const id = this.asked;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.post({ kind: 'ask', name, value, id });
    });
  }

  answer<T>(name: string, work: (value: T) => unknown): void {
    this.answerers.set(name, async (value) => work(value as T));
  }

  /** The other thread is gone: rejects every request still waiting for it. */
  end(reason: Error): void {
    this.ended ??= reason;
    for (const { reject } of this.waiting.values()) reject(reason);
    this.waiting.clear();
  }

  private receive(message: Message): void {
    switch (message.kind) {
      case 'notify':
        for (const listener of this.listeners.get(message.name) ?? []) listener(message.value);
        break;
      case 'ask':
        void this.answerTo(message.id, message.name, message.value);
        break;
      case 'answer':
        this.taken(message.id)?.resolve(message.value);
        break;
      case 'failure':
        this.taken(message.id)?.reject(new Error(message.message));
        break;
    }
  }

  private async answerTo(id: number, name: string, value: unknown): Promise<void> {
    try {
      const answerer = this.answerers.get(name);
      if (answerer === undefined) throw new Error(`nobody answers ${name}`);
      this.post({ kind: 'answer', id, value: await answerer(value) });
    } catch (error) {
      this.post({ kind: 'failure', id, message: error instanceof Error ? error.message : String(error) });
    }
  }

  private post(message: Message): void {
    if (this.ended === undefined) this.port?.postMessage(message);
  }

  private taken(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }
}

/** Which part of the process this is: on embedded stores `sends` sends webhooks, `front` the rest; `only` does all. */
export type Thread = Readonly<{ side: 'only' } | { side: 'front' | 'sends'; link: ThreadLink }>;

export const THREAD = Symbol('Thread');
export const ONLY_THREAD: Thread = { side: 'only' };
