import { Controller, Get, Inject, Query } from '@nestjs/common';
import { Tag } from '../../api/openapi/described';
import { type RecipientDocument, recipients } from '../../../projections/recipients.projection';
import { Connection } from '../../access/connection.guard';
import { type ConnectionCaller } from '../../http/server/callers';
import { named, object, oneOf, text } from '../../http/input/checks';
import { ownPage, pageSchema } from '../../http/input/own-documents';
import { PageInput } from '../../http/input/pagination';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { networkNames } from '../../networks';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';

const payeeSchema = named(
  'Payee',
  object({
    recipient_id: text({ max: 160, example: 'rcp_01JZ5Y0W3X0000000000000000' }),
    recipient_version_id: text({
      max: 160,
      description: 'The active version',
      example: 'rcv_01JZ5Y0W3X0000000000000000',
    }),
    name: text({ max: 120 }),
    network: oneOf(networkNames),
    asset: text({ max: 80 }),
    domain: text({ max: 253, description: 'The verified domain that vouches for it' }),
  }).schema,
);

/** The payees a connected agent may request payments to. Their addresses are known only to merchant and wallet. */
@Tag('Recipients')
@Controller('v1/payees')
export class PayeesController {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  @Get()
  @Endpoint({
    summary: 'List who can be paid, newest first',
    description:
      'The merchant’s recipients with an active version. Addresses are never shown: a wallet gets the address with the request.',
    credential: 'connection',
    query: PageInput,
    answer: pageSchema('payees', payeeSchema),
  })
  async list(@Query() input: PageInput, @Connection() { merchantId }: ConnectionCaller) {
    const payable = ['payable', merchantId, true] as const;
    const { documents, next_cursor } = await ownPage(this.readModel, recipients, payable, input);
    return { ok: true, payees: documents.flatMap(payeeView), next_cursor };
  }
}

/** An active version has always been verified. */
function payeeView({ id, name, active_version_id, versions }: RecipientDocument) {
  const active = versions.find(({ recipient_version_id }) => recipient_version_id === active_version_id);
  if (active === undefined || active.evidence === null) return [];
  const { recipient_version_id, network, asset, evidence } = active;
  return [{ recipient_id: id, recipient_version_id, name, network, asset, domain: evidence.proof.domain }];
}
