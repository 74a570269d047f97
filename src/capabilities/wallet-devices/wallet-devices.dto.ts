import { type WalletDeviceDocument } from '../../../projections/wallet-devices.projection';
import { dateTime, integer, named, object, oneOf, text } from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';

export class RegisterDeviceInput {
  @Field(text({ max: 120, description: 'What the person calls this device', example: 'My phone' }))
  name!: string;

  @OptionalField(text({ max: 40, description: 'Operating system or wallet build', example: 'android' }))
  platform?: string;
}

/** For calls that need nothing but their credential. */
export class DeviceInput {}

export class RotateTokenInput {
  @OptionalField(
    text({
      min: 20,
      max: 160,
      description:
        'A random id of this rotation that nobody else knows, such as a UUID. If the answer is lost, the same call with the old token returns ' +
        'the new token again for ten minutes; without an id nothing does',
      example: '5b3f0c7e-8a55-4c43-9f0e-2d9d1d6a7f11',
    }),
  )
  rotation_id?: string;
}

export const deviceSchema = named(
  'WalletDevice',
  object({
    device_id: text({ max: 160, example: 'dev_01JZ5Y0W3X0000000000000000' }),
    name: text({ max: 120 }),
    platform: { ...text({ max: 40 }), schema: { type: ['string', 'null'], maxLength: 40 } },
    status: oneOf(['active', 'removed']),
    created_at: dateTime(),
    updated_at: dateTime(),
    version: integer(1, Number.MAX_SAFE_INTEGER, 'How many events this device has'),
  }).schema,
);

export const deviceView = ({ id, ...rest }: WalletDeviceDocument) => ({ device_id: id, ...rest });
