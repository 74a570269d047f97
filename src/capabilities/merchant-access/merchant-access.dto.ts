import { dateTime, flag, integer, list, named, object, oneOf, text } from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { organizationName } from '../../access/merchant-view';
import { emailAddress } from './email-address';
import { type MerchantChoice } from './merchant-choices';
import { type SessionDelivery } from './session';

/** Any form is accepted: a malformed secret gets the same response as a wrong one. */
const secret = (description: string, example: string) => text({ min: 0, max: 1000, description, example });
const grant = secret('The one-time grant', 'svc_sg_…');

export class RegistrationInput {
  @Field(emailAddress)
  email!: string;
}

export const registrationSchema = named(
  'Registration',
  object({
    status: oneOf(['accepted'], 'Does not reveal whether the address is known'),
    link_expires_in: integer(1, 86_400, 'How many seconds the link in the mail is valid'),
  }).schema,
);

export class EmailVerificationInput {
  @Field(secret('The token from the link in the mail', 'svc_el_…'))
  token!: string;
}

const merchantId = text({ max: 160, example: 'mer_01JZ5Y0W3X0000000000000000' });
const choice = text({ max: 200, description: 'Identifies one of the offered merchants; valid only with this grant' });

const offered = object({
  choice,
  merchant_id: merchantId,
  name: text({ max: 120 }),
  status: oneOf(['pending', 'active']),
});
export const choicesSchema = { ...list(offered, 1_000_000).schema, items: named('MerchantChoice', offered.schema) };

export const choiceView = ({ choice: handle, merchant: { id, name, status } }: MerchantChoice) => ({
  choice: handle,
  merchant_id: id,
  name,
  status,
});

export const grantSchema = text({ max: 200, description: 'Works once; shown only here', example: 'svc_sg_…' }).schema;
export const expirySchema = dateTime().schema;

export class CreateMerchantInput {
  @Field(grant)
  grant!: string;

  @Field(organizationName)
  name!: string;
}

export class OpenSessionInput {
  @Field(grant)
  grant!: string;

  @OptionalField(choice)
  choice?: string;

  @OptionalField(oneOf(['cookie', 'bearer'], 'bearer returns the token in the body and sets no cookie'))
  delivery?: SessionDelivery;
}

export const sessionSchema = named(
  'MerchantSession',
  object({ expires_at: dateTime('The latest time at which it ends') }).schema,
);
/** One of the operator's own open sessions, without anything that would allow using it. */
export const openSessionSchema = named(
  'OpenMerchantSession',
  object({
    session_id: text({ max: 160, example: 'ses_01JZ5Y0W3X0000000000000000' }),
    merchant_id: merchantId,
    merchant_name: text({ max: 120 }),
    delivery: oneOf(['cookie', 'bearer'], 'cookie in a browser, bearer in a program'),
    opened_at: dateTime(),
    expires_at: dateTime('The latest time at which it ends'),
    is_current: { ...flag, schema: { ...flag.schema, description: 'Whether this call was made with it' } },
  }).schema,
);
export const csrfSchema = text({ max: 100, description: 'Send it as X-CSRF-Token with every change' }).schema;
export const sessionTokenSchema = text({
  max: 200,
  description: 'With delivery bearer only; shown only here',
  example: 'svc_ms_…',
}).schema;
export const endedSchema = named('EndedSession', object({ status: oneOf(['ended']) }).schema);
