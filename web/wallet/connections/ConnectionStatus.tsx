import { type Connection } from '../../../sdk/src/types/connect.ts';
import { Status } from '../../ui/Status.tsx';

const SHOWN = {
  active: ['good', 'Active'],
  paused: ['warn', 'Paused'],
  revoked: ['calm', 'Revoked'],
} as const;

export function ConnectionStatus({ status }: Readonly<{ status: Connection['status'] }>) {
  const [tone, word] = SHOWN[status];
  return <Status tone={tone}>{word}</Status>;
}
