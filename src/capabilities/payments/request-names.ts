import { isOurs, type PaymentRequestDocument } from '../../../projections/payment-request-document';
import { paymentRequests } from '../../../projections/payment-requests.projection';
import { connections } from '../../../projections/connections.projection';
import { type Caller } from '../../http/server/request-context';
import { refuse } from '../../kernel/errors';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { type ConnectionId, idFor, type MerchantId, type WalletDeviceId } from '../../kernel/aggregates';

/** The stream of a request whose id its caller chose: scoped to the merchant, so that tenants' ids never collide. */
export const namedPlace = idFor.requestOfName;

/**
 * Where a merchant's request with this id may be. In older logs, where ids were unique across all tenants, the stream
 * has the id itself.
 */
export const placesOf = (merchantId: MerchantId, name: string): readonly string[] =>
  isOurs(name) ? [name] : [namedPlace(merchantId, name), name];

/** How many requests with the same id are listed for a wallet at most. */
const MAX_MATCHES = 100;

/**
 * The request that the caller means; anything that is not its own is treated as nonexistent. A wallet may hold several
 * requests with the same id, from different merchants: it names the connection to say which.
 */
export async function requestNamed(
  readModel: ReadModel,
  name: string,
  { connection, merchant, actor }: Caller,
  connectionId?: ConnectionId,
): Promise<PaymentRequestDocument> {
  const owner = connection ?? merchant;
  if (owner === undefined) return requestOfWallet(readModel, name, actor.id as WalletDeviceId, connectionId);
  const found = await firstOwn(readModel, name, placesOf(owner.merchantId, name), (request) =>
    connection ? request.connection_id === connection.connectionId : request.merchant_id === owner.merchantId,
  );
  if (connectionId !== undefined && found.connection_id !== connectionId) throw refuse('resource_not_found');
  return found;
}

async function requestOfWallet(
  readModel: ReadModel,
  name: string,
  deviceId: WalletDeviceId,
  connectionId: ConnectionId | undefined,
): Promise<PaymentRequestDocument> {
  if (connectionId !== undefined) {
    const connection = await readModel.get(connections, connectionId);
    if (connection?.device_id !== deviceId) throw refuse('resource_not_found');
    const places = placesOf(connection.merchant_id, name);
    return firstOwn(readModel, name, places, (request) => request.connection_id === connectionId);
  }
  if (isOurs(name)) return firstOwn(readModel, name, [name], (request) => request.device_id === deviceId);
  const page = { limit: MAX_MATCHES, order: 'desc' } as const;
  const { documents } = await readModel.find(paymentRequests, 'by_device_and_chosen_id', [deviceId, name], page);
  const [found, ...others] = documents;
  if (found === undefined) throw refuse('resource_not_found');
  if (others.length === 0) return found;
  const details = { connection_ids: documents.map(({ connection_id }) => connection_id) };
  throw refuse('ambiguous_request_id', { field: 'connection_id', details });
}

async function firstOwn(
  readModel: ReadModel,
  name: string,
  places: readonly string[],
  isOwn: (request: PaymentRequestDocument) => boolean,
): Promise<PaymentRequestDocument> {
  for (const place of places) {
    const request = await readModel.get(paymentRequests, place);
    // The stream id of a request with a caller-chosen id is not a second id for it.
    if (request?.request_id === name && isOwn(request)) return request;
  }
  throw refuse('resource_not_found');
}
