import { type PaymentRequestDocument } from '../../../projections/payment-request-document';
import { type Actor, asStored, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type Caller } from '../../http/server/request-context';
import { type ProvenEvent, veil } from '../proofs';
import { type ConnectionId, type WalletDeviceId, type MerchantId } from '../../kernel/aggregates';

/** A viewer sees the events that concern it, and of the other parties only what its other responses show too. */
export type Viewer = Readonly<
  | { kind: 'agent'; connectionId: ConnectionId }
  | { kind: 'wallet'; deviceId: WalletDeviceId }
  | { kind: 'merchant'; merchantId: MerchantId }
>;

export function viewerOf({ connection, merchant, apiKey, actor }: Caller): Viewer {
  if (connection) return { kind: 'agent', connectionId: connection.connectionId };
  if (merchant) return { kind: 'merchant', merchantId: merchant.merchantId };
  if (apiKey) return { kind: 'merchant', merchantId: apiKey.merchantId };
  return { kind: 'wallet', deviceId: actor.id as WalletDeviceId };
}

/** The event as the viewer may see it. What is veiled can still be proven, since its digest is part of the leaf. */
export function shownTo(viewer: Viewer, event: RecordedEvent): Required<ProvenEvent> {
  const { stream, version, type, data, metadata } = asStored(event);
  const knowsActor = mayKnow(viewer, metadata.actor);
  return veil({ stream, version, type, data, metadata }, (member, value) => {
    if (member === 'actor' || member === 'request_id') return knowsActor;
    if (member === 'device_id') return viewer.kind === 'wallet' && viewer.deviceId === value;
    // No viewer may see hashes and sealed texts.
    return member === 'account_id' && viewer.kind === 'merchant';
  });
}

/** A wallet is known only to itself; operators are the merchant's own people. */
export function mayKnow(viewer: Viewer, { kind, id }: Actor): boolean {
  switch (kind) {
    case 'wallet_device':
      return viewer.kind === 'wallet' && viewer.deviceId === id;
    case 'merchant_account':
    case 'api_key':
      return viewer.kind === 'merchant';
    case 'connection':
      return viewer.kind !== 'agent' || viewer.connectionId === id;
    default:
      return true;
  }
}

/** Any other request is treated as if it did not exist. */
export function concerns(viewer: Viewer, request: PaymentRequestDocument): boolean {
  switch (viewer.kind) {
    case 'agent':
      return request.connection_id === viewer.connectionId;
    case 'wallet':
      return request.device_id === viewer.deviceId;
    case 'merchant':
      return request.merchant_id === viewer.merchantId;
  }
}
