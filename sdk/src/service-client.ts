import { type Call, type CallOptions, type ClientOptions, nobody, Transport } from './transport.ts';
import { type AuditKey, type Checkpoint } from './types/audit.ts';
import { type NextCursor, type Page } from './types/common.ts';
import { type CataloguedError } from './types/service.ts';

/** Calls that need no credentials. */
export class ServiceClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Every error code, what it means and what to do about it. */
  async errors(options?: CallOptions): Promise<readonly CataloguedError[]> {
    return (await this.#get<{ errors: readonly CataloguedError[] }>('/v1/errors', {}, options)).errors;
  }

  /** Every key that ever signed a checkpoint, newest first. */
  async auditKeys(options?: CallOptions): Promise<readonly AuditKey[]> {
    return (await this.#get<{ keys: readonly AuditKey[] }>('/v1/audit/keys', {}, options)).keys;
  }

  /** Signed checkpoints of the log, newest first. */
  checkpoints(query: Page = {}, options?: CallOptions) {
    type Checkpoints = NextCursor & Readonly<{ checkpoints: readonly Checkpoint[] }>;
    return this.#get<Checkpoints>('/v1/audit/checkpoints', query, options);
  }

  async #get<T>(path: string, query: Call['query'], options: CallOptions | undefined): Promise<T> {
    return (await this.#transport.send<T>({ method: 'GET', path, query, options }, nobody)).body;
  }
}
