import { type Call, type CallOptions, type ClientOptions, nobody, Transport } from './transport.ts';
import { type CataloguedError } from './types/service.ts';

/** What the service tells anybody. */
export class ServiceClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Every error code, what it means and what to do about it. */
  async errors(options?: CallOptions): Promise<readonly CataloguedError[]> {
    return (await this.#get<{ errors: readonly CataloguedError[] }>('/v1/errors', {}, options)).errors;
  }

  async #get<T>(path: string, query: Call['query'], options: CallOptions | undefined): Promise<T> {
    return (await this.#transport.send<T>({ method: 'GET', path, query, options }, nobody)).body;
  }
}
