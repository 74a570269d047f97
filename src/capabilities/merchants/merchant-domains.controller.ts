import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Response } from 'express';
import { Tag } from '../../api/openapi/described';
import { domainView, merchantDomains, merchants } from '../../../projections/merchants.projection';
import { parseExactDomain } from '../../platform/egress/domain-names';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { list } from '../../http/input/checks';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Merchant } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { merchantSchema, merchantView } from '../../access/merchant-view';
import { knownDocument, ownDocument, ownPage } from '../../http/input/own-documents';
import { nextCursorSchema, PageInput } from '../../http/input/pagination';
import { complete } from '../../http/input/draft';
import { readKeyedDraft, sayMade } from '../../http/input/keyed-draft';
import { Context, type SvcRequest } from '../../http/server/request-context';
import { type Refusal, refuseInput } from '../../kernel/errors';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { MAX_RECORD_NAME, recordName } from './challenge';
import { GiveUpDomain, RegisterDomain, VerifyDomain } from './merchant-domains.handlers';
import { domainSchema, NoInput, pendingChallenge, pendingChallengeSchema, RegisterDomainInput } from './merchants.dto';
import { type DomainId, type MerchantId } from '../../kernel/aggregates';

@Tag('Merchant domains')
@Controller('v1/merchant-domains')
export class MerchantDomainsController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Register a domain',
    description: 'Publish the challenge within seven days, then ask for the domain to be verified.',
    credential: 'session',
    status: 201,
    body: RegisterDomainInput,
    readsBodyItself: true,
    keyed: true,
    answer: { domain: domainSchema, challenge: pendingChallengeSchema },
    errors: ['limit_reached', 'domain_already_registered'],
  })
  async register(
    @Body() body: Record<string, unknown>,
    @Req() { headers }: SvcRequest,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = readKeyedDraft(RegisterDomainInput, body, headers);
    const input = complete(draft);
    const command = new RegisterDomain(merchantId, exactName(input), input.method, draft.under, context);
    const { id, replayed } = await this.commands.execute(command);
    sayMade(response, replayed, `/v1/merchant-domains/${id}`);
    const document = await this.read(id, merchantId);
    return { ok: true, domain: domainView(document), challenge: pendingChallenge(document) };
  }

  @Post(':id/verify')
  @Endpoint({
    summary: 'Check the published challenge',
    description:
      'The first verified domain activates the merchant. For a verified domain the service looks again, and ' +
      '`last_seen_at` says when it saw the challenge last. A domain that another merchant has proven since is proven ' +
      'again, and the other proof superseded. When the challenge is not found nothing changes, and details say what ' +
      'was expected, what was found and why that is not enough.',
    credential: 'session',
    limit: 'domain_proof',
    body: NoInput,
    answer: { domain: domainSchema, merchant: merchantSchema },
    errors: ['domain_proof_failed', 'challenge_expired'],
  })
  async verify(
    @Param('id') id: DomainId,
    @Body() _input: NoInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    await this.commands.execute(new VerifyDomain(merchantId, id, context));
    const [domain, merchant] = await Promise.all([
      this.read(id, merchantId),
      knownDocument(this.readModel, merchants, merchantId),
    ]);
    return { ok: true, domain: domainView(domain), merchant: merchantView(merchant) };
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Give a domain up',
    description:
      'It is no evidence any more, and new payments to recipients that it vouched for carry `payee.verified: false`. ' +
      'Those recipients stay active. The domain may be registered again.',
    credential: 'session',
    answer: { domain: domainSchema },
  })
  async giveUp(
    @Param('id') id: DomainId,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    await this.commands.execute(new GiveUpDomain(merchantId, id, context));
    return { ok: true, domain: domainView(await this.read(id, merchantId)) };
  }

  @Get()
  @Endpoint({
    summary: 'List the merchant’s domains, newest first',
    credential: 'session',
    query: PageInput,
    answer: { domains: list({ problems: () => [], schema: domainSchema }, 200).schema, next_cursor: nextCursorSchema },
  })
  async list(@Query() page: PageInput, @Merchant() { merchantId }: MerchantCaller) {
    const own = ['by_merchant', merchantId] as const;
    const { documents, next_cursor } = await ownPage(this.readModel, merchantDomains, own, page);
    return { ok: true, domains: documents.map(domainView), next_cursor };
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read a domain, with the challenge while it is pending',
    credential: 'session',
    answer: { domain: domainSchema, challenge: pendingChallengeSchema },
  })
  async readOne(@Param('id') id: DomainId, @Merchant() { merchantId }: MerchantCaller) {
    const document = await this.read(id, merchantId);
    return { ok: true, domain: domainView(document), challenge: pendingChallenge(document) };
  }

  private read(id: string, merchantId: MerchantId) {
    return ownDocument(this.readModel, merchantDomains, id, { merchant_id: merchantId });
  }
}

/** The normalized name; for the dns method, the record name below it must not be too long. */
function exactName({ domain, method }: RegisterDomainInput): string {
  const parsed = parseExactDomain(domain);
  if (!parsed.ok) throw wrongDomain(parsed.problem);
  if (method === 'dns' && recordName(parsed.domain).length > MAX_RECORD_NAME) {
    throw wrongDomain('is too long for a record below it: use the https method');
  }
  return parsed.domain;
}

const wrongDomain = (message: string): Refusal => refuseInput([{ code: 'malformed', field: 'domain', message }]);
