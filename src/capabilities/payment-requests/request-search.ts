import { Inject, Injectable } from '@nestjs/common';
import { connections } from '../../../projections/connections.projection';
import { type PaymentRequestDocument } from '../../../projections/payment-request-document';
import { paymentRequests } from '../../../projections/payment-requests.projection';
import { settlementReports } from '../../../projections/settlement-reports.projection';
import { parseStreamName } from '../../platform/event-store/stream-name';
import { normalTime } from '../../http/input/checks';
import { isAfter, mergedPage } from '../../http/input/merged-pages';
import { type Ownership, type OwnPage } from '../../http/input/own-documents';
import { PAGE_BYTES } from '../../http/input/page-bytes';
import { cursorOf, listMark, type ListMark, pageOf } from '../../http/input/pagination';
import { type Page, type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { placesOf } from '../payments/request-names';
import { type ListPaymentRequestsInput } from './payment-requests.dto';
import { type ConnectionId, type MerchantId } from '../../kernel/aggregates';

type Document = PaymentRequestDocument;
type SearchedIndex = Readonly<{ index: string; equals: readonly string[] }>;

/** Whose requests to search, by the one field that says so. */
export type SearchedOwner = Readonly<{ field: 'merchant_id' | 'connection_id' | 'device_id'; id: string }>;

const BATCH_SIZE = 200;
/** The most reads per page, however few requests match: the caller continues from the cursor. */
const MAX_READS = 5;
/** Sorts after every request id, and after every time. */
const AFTER_ANY_ID = '~';
const NAME_INDEXES = ['transaction', 'idempotency_key', 'transaction_hash'] as const;

/** Lists payment requests, newest first. An index serves the narrowest filter; the others are compared. */
@Injectable()
export class RequestSearch {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  async page(owner: SearchedOwner, input: ListPaymentRequestsInput): Promise<OwnPage<Document>> {
    const fits = filterOf(owner, input);
    const list = listOf(owner, input);
    const { limit, after } = startOf(input, list);
    if (input.q !== undefined) {
      return asPage(await this.named(owner.id as MerchantId, input.q, { limit, after }), fits, list);
    }
    const place = placeOf(owner, input);
    if (place.index.startsWith('by_connection') && !(await this.owns(owner, (place.equals[0] ?? '') as ConnectionId)))
      return EMPTY;
    if (isServedBy(place, input)) {
      return asPage(await this.find(place, { limit, after }), () => true, list);
    }
    const { documents, next } = await this.filtered(place, fits, { limit, after, from: normal(input.created_from) });
    return { documents, next_cursor: cursorOf(next, list) };
  }

  private find(
    { index, equals }: SearchedIndex,
    page: { limit: number; after: PageCursor | undefined },
  ): Promise<Page<Document>> {
    return this.readModel.find(paymentRequests, index, equals, { ...page, bytes: PAGE_BYTES, order: 'desc' });
  }

  private async filtered(
    place: SearchedIndex,
    fits: (document: Document) => boolean,
    { limit, after, from }: Readonly<{ limit: number; after: PageCursor | undefined; from: string | undefined }>,
  ): Promise<Page<Document>> {
    const documents: Document[] = [];
    let next: PageCursor | null | undefined = after;
    for (let reads = 0; reads < MAX_READS; reads += 1) {
      const page = await this.find(place, { limit: BATCH_SIZE, after: next });
      for (const document of page.documents) {
        if (from !== undefined && document.created_at < from) return { documents, next: null };
        if (!fits(document)) continue;
        documents.push(document);
        if (documents.length === limit) {
          return { documents, next: { sort: document.created_at, id: document.id } };
        }
      }
      next = page.next;
      // A page that ended early reached its size limit: the matches found so far are enough.
      const isFull = page.documents.length < BATCH_SIZE && documents.length > 0;
      if (next === null || isFull) break;
    }
    return { documents, next: next ?? null };
  }

  /** Finds requests by any of their names. A name may be of several kinds, so all of them are tried. */
  private async named(
    merchantId: MerchantId,
    name: string,
    page: Readonly<{ limit: number; after: PageCursor | undefined }>,
  ): Promise<Page<Document>> {
    const [itself, reported, others] = await Promise.all([
      Promise.all(placesOf(merchantId, name).map((place) => this.readModel.get(paymentRequests, place))),
      this.reportedWith(name),
      Promise.all(NAME_INDEXES.map((field) => this.find({ index: `by_${field}`, equals: [merchantId, name] }, page))),
    ]);
    const own = itself.filter(
      (request) => request?.request_id === name && request.merchant_id === merchantId && isAfter(request, page.after),
    ) as readonly Document[];
    const reportedOwn = reported.filter((one) => one.merchant_id === merchantId && isAfter(one, page.after));
    return mergedPage([...others, { documents: [...own, ...reportedOwn], next: null }], page.limit);
  }

  /** Those with any report of this transaction: a later one may have named another. */
  private async reportedWith(hash: string): Promise<readonly Document[]> {
    const reports = await this.readModel.find(settlementReports, 'by_hash', [hash], { limit: BATCH_SIZE });
    const ids = reports.documents
      .map(({ stream }) => parseStreamName(stream))
      .flatMap(({ category, id }) => (category === 'payment_request' ? [id] : []));
    const found = await Promise.all(ids.map((id) => this.readModel.get(paymentRequests, id)));
    return found.filter((one): one is Document => one !== undefined);
  }

  /** Checked before the index is read: for someone else's connection, the page must not even have a next cursor. */
  private async owns(owner: SearchedOwner, connectionId: ConnectionId): Promise<boolean> {
    if (owner.field === 'connection_id') return owner.id === connectionId;
    const connection = await this.readModel.get(connections, connectionId);
    return connection?.[owner.field] === owner.id;
  }
}

const EMPTY: OwnPage<Document> = { documents: [], next_cursor: null };

const asPage = (
  { documents, next }: Page<Document>,
  fits: (document: Document) => boolean,
  list: ListMark,
): OwnPage<Document> => ({ documents: documents.filter(fits), next_cursor: cursorOf(next, list) });

/** Times in one form: they may be written differently on the next page. */
function listOf(
  owner: SearchedOwner,
  { limit: _limit, cursor: _cursor, ...filters }: ListPaymentRequestsInput,
): ListMark {
  const [created_from, created_to] = [normal(filters.created_from), normal(filters.created_to)];
  return listMark(paymentRequests.name, { ...filters, created_from, created_to, [owner.field]: owner.id });
}

/** Narrowest index first: a transaction has the fewest requests, then a connection, a recipient, an agent. */
function placeOf(owner: SearchedOwner, input: ListPaymentRequestsInput): SearchedIndex {
  const connectionId = owner.field === 'connection_id' ? owner.id : input.connection_id;
  const { status, transaction_hash: hash } = input;
  if (hash !== undefined && owner.field === 'merchant_id') {
    return { index: 'by_transaction_hash', equals: [owner.id, hash] };
  }
  const withStatus = (index: string, id: string): SearchedIndex =>
    status === undefined ? { index, equals: [id] } : { index: `${index}_and_status`, equals: [id, status] };
  if (connectionId !== undefined) return withStatus('by_connection', connectionId);
  if (owner.field === 'device_id') return withStatus('by_device', owner.id);
  if (input.recipient_id !== undefined) {
    return { index: 'by_merchant_and_recipient', equals: [owner.id, input.recipient_id] };
  }
  if (input.agent_id !== undefined) return { index: 'by_merchant_and_agent', equals: [owner.id, input.agent_id] };
  return withStatus('by_merchant', owner.id);
}

/** Whether the index leaves nothing to filter. */
function isServedBy({ index }: SearchedIndex, input: ListPaymentRequestsInput): boolean {
  const left = {
    status: index.endsWith('_status') ? undefined : input.status,
    recipient: index.endsWith('_recipient') ? undefined : input.recipient_id,
    agent: index.endsWith('_agent') ? undefined : input.agent_id,
    hash: index.endsWith('_hash') ? undefined : input.transaction_hash,
    connection: index.endsWith('_hash') ? input.connection_id : undefined,
    from: input.created_from,
  };
  return Object.values(left).every((value) => value === undefined);
}

function filterOf(owner: SearchedOwner, input: ListPaymentRequestsInput): (document: Document) => boolean {
  const equal: Ownership<Document> = {
    [owner.field]: owner.id,
    ...given('status', input.status),
    ...given('agent_id', input.agent_id),
    ...given('recipient_id', input.recipient_id),
    ...given('transaction_hash', input.transaction_hash),
    ...(owner.field === 'connection_id' ? {} : given('connection_id', input.connection_id)),
  };
  const names = Object.keys(equal) as (keyof Document)[];
  const [from = '', to = AFTER_ANY_ID] = [normal(input.created_from), normal(input.created_to)];
  return (document) =>
    names.every((name) => document[name] === equal[name]) && from <= document.created_at && document.created_at <= to;
}

const given = (name: string, value: string | undefined): object => (value === undefined ? {} : { [name]: value });

/** Where the list begins: after the cursor, and no later than `created_to`. */
function startOf(input: ListPaymentRequestsInput, list: ListMark): { limit: number; after: PageCursor | undefined } {
  const { limit, after } = pageOf(input, list);
  const to = normal(input.created_to);
  const end = to === undefined ? undefined : { sort: to, id: AFTER_ANY_ID };
  const cursor = end !== undefined && (after === undefined || String(after.sort) > end.sort) ? end : after;
  return { limit, after: cursor };
}

/** In the format times are stored in, so that they compare as text. */
const normal = (time: string | undefined): string | undefined => time && normalTime(time);
