import { Body, Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { type Response } from 'express';
import { isOurs, type PaymentRequestDocument, paymentRequestView } from '../../../projections/payment-request-document';
import { paymentRequests, paymentRequestsProjection } from '../../../projections/payment-requests.projection';
import {
  transactionContexts,
  transactionContextsProjection,
  transactionContextView,
} from '../../../projections/transaction-contexts.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { EitherCaller } from '../../access/claim-or-device.guard';
import { Connection } from '../../access/connection.guard';
import { type ConnectionCaller } from '../../http/server/callers';
import { DeviceId } from '../../access/device.guard';
import { ConnectionChoiceInput, readWithConnection } from '../../http/input/connection-choice';
import { complete, readDraft } from '../../http/input/draft';
import { knownDocument, pageSchema } from '../../http/input/own-documents';
import { type Caller, Context, type SvcRequest } from '../../http/server/request-context';
import { reportOf } from '../../http/input/status-report';
import { CLOCK, type Clock } from '../../kernel/clock';
import { type Issue, refuse } from '../../kernel/errors';
import { History } from '../../platform/read-model/history';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { requestNamed } from '../payments/request-names';
import { reviewSchema, withReview } from '../payments/review-schema';
import { Reviews } from '../payments/reviews';
import { Duplicates } from '../payments/duplicates';
import {
  duplicatesSchema,
  newerRevisionSchema,
  paymentRequestSchema,
  reviewedContextSchema,
} from './payment-request.schema';
import {
  CreatePaymentRequestInput,
  ListPaymentRequestsInput,
  ReadPaymentRequestInput,
  ReportStatusInput,
} from './payment-requests.dto';
import { CreatePaymentRequest, ReportPaymentStatus } from './payment-requests.handlers';
import { RequestPlaces } from './request-places';
import { RequestSearch, type SearchedOwner } from './request-search';
import { readSubmission } from './submission';
import { idFor, type WalletDeviceId } from '../../kernel/aggregates';

@Tag('Payment requests')
@Controller('v1/payment-requests')
export class PaymentRequestsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly history: History,
    private readonly search: RequestSearch,
    private readonly reviews: Reviews,
    private readonly places: RequestPlaces,
    private readonly duplicates: Duplicates,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Ask the wallet user for a payment',
    description:
      'Answers 201 with `Location`: the request is pending review, nothing is paid. The same intent under the same ' +
      '`X-Idempotency-Key` (or `Idempotency-Key`, or `idempotency_key`) or `request_id` answers 200 with ' +
      '`Idempotent-Replayed: true` and the request as it now is. Payment facts come from the recipient version alone.',
    credential: 'connection',
    scope: 'payment.requests.create',
    status: 201,
    again: 200,
    body: CreatePaymentRequestInput,
    readsBodyItself: true,
    answer: { payment_request: paymentRequestSchema },
    optional: { duplicates: duplicatesSchema },
    errors: [
      'IDEMPOTENCY_KEY_MISMATCH',
      'IDEMPOTENCY_KEY_REUSED',
      'possible_duplicate',
      'request_id_unavailable',
      'recipient_version_not_active',
    ],
  })
  async create(
    @Body() body: Record<string, unknown>,
    @Req() { headers, moment }: SvcRequest,
    @Connection() caller: ConnectionCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const submission = readSubmission(body, headers);
    const placed = await this.commands.execute(new CreatePaymentRequest(submission, caller, context, moment));
    const document = placed.created ?? (await knownDocument(this.readModel, paymentRequests, placed.place));
    response.setHeader('Location', `/v1/payment-requests/${document.request_id}`);
    if (placed.replayed) response.status(200).setHeader('Idempotent-Replayed', 'true');
    const { connection_id: connectionId, recipient_id: recipientId, amount, id: requestId } = document;
    const { device_id: deviceId, agent_id: agentId, idempotency_key: key } = document;
    const asked = { connectionId, deviceId, agentId, recipientId, amount, requestId, key: key ?? undefined };
    const duplicates = await this.duplicates.of(asked, this.clock.now());
    return {
      ok: true,
      payment_request: paymentRequestView(document),
      ...(duplicates.length > 0 ? { duplicates } : {}),
    };
  }

  @Get('by-key/:key')
  @Endpoint({
    summary: 'Read the payment request made under an idempotency key',
    description: 'Use it after a lost answer: 404 means that nothing was created under this key on this connection.',
    credential: 'connection',
    scope: 'payment.requests.read',
    answer: { payment_request: paymentRequestSchema },
  })
  async byKey(@Param('key') key: string, @Connection() { connectionId, merchantId }: ConnectionCaller) {
    const place = await this.places.byKey(connectionId, merchantId, key);
    if (place === undefined) throw refuse('resource_not_found');
    return { ok: true, payment_request: await this.viewOf(place) };
  }

  @Get()
  @Endpoint({
    summary: 'List payment requests, newest first',
    description:
      'An agent sees those of its connection, a wallet those of all its connections, a merchant all of its own. If ' +
      'there are several filters, all must match; a page may then be shorter than its limit and still have a next one.',
    credential: 'party',
    scope: 'payment.requests.read',
    query: ListPaymentRequestsInput,
    answer: pageSchema('payment_requests', paymentRequestSchema),
  })
  async list(@Query() query: Record<string, unknown>, @EitherCaller() caller: Caller) {
    const owner = searchedBy(caller);
    const mayNotSearch = query['q'] !== undefined && owner.field !== 'merchant_id';
    const input = complete(readDraft(ListPaymentRequestsInput, query), mayNotSearch ? [Q_IS_FOR_MERCHANTS] : []);
    const { documents, next_cursor } = await this.search.page(owner, input);
    return { ok: true, payment_requests: documents.map(paymentRequestView), next_cursor };
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read a payment request',
    description:
      'Wallet and merchant also get the transaction context as it was when the request was made, none if there was none by then ' +
      '(`newer_revision` says that there is a newer one); a wallet also, in `review` and `payment_uri`, what the person who decides should know. ' +
      'With `as_of` the request alone is shown, as it was at that moment.',
    credential: 'party',
    scope: 'payment.requests.read',
    query: ReadPaymentRequestInput,
    answer: { payment_request: withReview(paymentRequestSchema) },
    errors: ['ambiguous_request_id'],
    optional: { transaction_context: reviewedContextSchema, newer_revision: newerRevisionSchema, ...reviewSchema },
  })
  async read(
    @Param('id') id: string,
    @Query() { as_of, connection_id }: ReadPaymentRequestInput,
    @EitherCaller() caller: Caller,
  ) {
    const document = await requestNamed(this.readModel, id, caller, connection_id);
    if (as_of !== undefined) {
      const then = await this.history.documentAt(
        paymentRequestsProjection,
        paymentRequests,
        'payment_request',
        document.id,
        as_of,
      );
      return { ok: true, payment_request: paymentRequestView(then) };
    }
    if (caller.merchant) {
      const context = await this.reviewContext(document);
      return { ok: true, payment_request: paymentRequestView(document), ...context };
    }
    if (caller.actor.kind !== 'wallet_device') return { ok: true, payment_request: paymentRequestView(document) };
    const [context, review] = await Promise.all([this.reviewContext(document), this.reviews.ofRequest(document)]);
    return { ok: true, payment_request: { ...paymentRequestView(document), ...review }, ...review, ...context };
  }

  @Post(':id/status')
  @Endpoint({
    summary: 'Report the status of a payment request',
    description:
      'pending → signed, rejected, failed; signed → broadcasted, failed; broadcasted → confirmed, failed. The same report ' +
      'again changes nothing. A report on a request that has ended is refused; that money moved all the same is kept, and shown as `late`.',
    credential: 'device',
    body: ReportStatusInput,
    readsBodyItself: true,
    query: ConnectionChoiceInput,
    answer: { payment_request: paymentRequestSchema },
    errors: ['invalid_status_transition', 'request_expired', 'ambiguous_request_id'],
  })
  async report(
    @Param('id') id: string,
    @Body() body: Record<string, unknown>,
    @Query() query: Record<string, unknown>,
    @DeviceId() deviceId: WalletDeviceId,
    @EitherCaller() caller: Caller,
    @Context() context: CommandContext,
  ) {
    // An id generated by us is also the stream's id, so the report reaches the log even if the read model lags.
    const input = readWithConnection(ReportStatusInput, body, query);
    const { connection_id: connectionId } = input;
    const isPlace = isOurs(id) && connectionId === undefined;
    const place = isPlace ? id : (await requestNamed(this.readModel, id, caller, connectionId)).id;
    await this.commands.execute(new ReportPaymentStatus(place, id, reportOf(input, deviceId), context));
    return { ok: true, payment_request: await this.viewOf(place) };
  }

  private async viewOf(place: string) {
    return paymentRequestView(await knownDocument(this.readModel, paymentRequests, place));
  }

  /**
   * The revision that the request pinned, if any, and whether there is a newer one. Later revisions are not part of the
   * request.
   */
  private async reviewContext({ connection_id, transaction_id, context_revision }: PaymentRequestDocument) {
    if (transaction_id === null) return {};
    const id = idFor.transactionContext(connection_id, transaction_id);
    const newest = await this.readModel.get(transactionContexts, id);
    if (newest === undefined) return {};
    const revision = context_revision ?? newest.revision;
    const newer = revision < newest.revision ? { newer_revision: newest.revision } : {};
    if (revision === 0) return newer;
    const pinned = revision === newest.revision ? newest : await this.contextAt(id, revision);
    if (pinned === undefined) return newer;
    return { transaction_context: { ...transactionContextView(pinned), ...newer }, ...newer };
  }

  private contextAt(id: string, revision: number) {
    const category = 'transaction_context';
    return this.history.documentAtVersion(transactionContextsProjection, transactionContexts, category, id, revision);
  }
}

function searchedBy({ connection, merchant, actor }: Caller): SearchedOwner {
  if (connection) return { field: 'connection_id', id: connection.connectionId };
  return merchant ? { field: 'merchant_id', id: merchant.merchantId } : { field: 'device_id', id: actor.id };
}

const Q_IS_FOR_MERCHANTS: Issue = {
  code: 'not_allowed',
  field: 'q',
  message: 'is for merchant sessions; read a request by its id, or by its key at /v1/payment-requests/by-key/{key}',
};
