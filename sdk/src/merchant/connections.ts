import { type CallOptions, path } from '../transport.ts';
import { type NextCursor, type Page } from '../types/common.ts';
import { type Connection } from '../types/connect.ts';
import { type MerchantSession } from './session.ts';

/** To whom the merchant's agents are connected; wallets are not named here. */
export class MerchantConnections {
  constructor(private readonly session: MerchantSession) {}

  list(query: Page = {}, options?: CallOptions) {
    type Connections = NextCursor & Readonly<{ connections: readonly Connection[] }>;
    return this.session.get<Connections>('/v1/connections', query, options);
  }

  async read(id: string, options?: CallOptions): Promise<Connection> {
    return (await this.session.get<{ connection: Connection }>(path`/v1/connections/${id}`, {}, options)).connection;
  }

  /** Ends it for good; what it has asked for and nobody has signed is withdrawn. */
  async revoke(id: string, options?: CallOptions): Promise<Connection> {
    return (await this.session.delete<{ connection: Connection }>(path`/v1/connections/${id}`, options)).connection;
  }
}
