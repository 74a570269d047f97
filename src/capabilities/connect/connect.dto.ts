import { type ConnectInvitationDocument } from '../../../projections/connect-invitations.projection';
import { dateTime, integer, list, named, nullable, object, oneOf, text } from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { KeyedInput } from '../../http/input/keyed-draft';
import { scopeList } from '../../http/input/scope-list';
import { refuse } from '../../kernel/errors';

export class IssueKeyInput extends KeyedInput {
  @OptionalField(text({ max: 120, description: 'The person’s own note; only this wallet sees it' }))
  label?: string;
}

export class ClaimInput {
  @Field(text({ max: 200, description: 'As received from the person', example: 'svc_ck_…' }))
  connect_key!: string;

  @Field(scopeList)
  requested_scopes!: readonly string[];
}

export class ApproveInvitationInput {
  @OptionalField(scopeList)
  scopes?: readonly string[];
}

/** For calls that need nothing but their credential. */
export class NoInput {}

const scopes = list(text({ max: 100 }), 20);

export const invitationSchema = named(
  'ConnectInvitation',
  object(
    {
      connect_invitation_id: text({ max: 160, example: 'inv_01JZ5Y0W3X0000000000000000' }),
      status: oneOf(['claimed', 'approved', 'rejected', 'exchanged', 'expired']),
      label: { ...text({ max: 120 }), schema: { type: ['string', 'null'], description: 'Only for the wallet' } },
      agent_id: text({ max: 160 }),
      agent_name: text({ max: 200 }),
      merchant_id: text({ max: 160 }),
      merchant_name: text({ max: 200 }),
      merchant_domain: text({ max: 253, description: 'Verified by the merchant' }),
      requested_scopes: scopes,
      scopes: nullable(scopes),
      connection_id: { ...text({ max: 160 }), schema: { type: ['string', 'null'] } },
      claimed_at: dateTime(),
      updated_at: dateTime(),
      expires_at: dateTime('The time until which it can be decided and exchanged'),
      version: integer(1, Number.MAX_SAFE_INTEGER, 'How many events this invitation has'),
    },
    ['label'],
  ).schema,
);

/** What both sides see. Before the claim there is nothing to show. */
export function invitationView(document: ConnectInvitationDocument) {
  const { id, claimant, status, scopes, connection_id, updated_at, expires_at, version } = document;
  if (claimant === null) throw refuse('resource_not_found');
  return {
    connect_invitation_id: id,
    status,
    ...claimant,
    scopes,
    connection_id,
    updated_at,
    expires_at,
    version,
  };
}

export const walletInvitationView = (document: ConnectInvitationDocument) => ({
  ...invitationView(document),
  label: document.label,
});
