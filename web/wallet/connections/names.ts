import { type Connection } from '../../../sdk/src/types/connect.ts';

export const namesInWords = ({ agent_name, merchant_name }: NonNullable<Connection['agreed_names']>): string =>
  `${agent_name} of ${merchant_name}`;
