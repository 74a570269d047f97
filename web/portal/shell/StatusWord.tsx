import { Status } from '../../ui/Status.tsx';
import { WORDS } from './status-labels.ts';

/** A status of the service as the word that people see everywhere. */
export function StatusWord({ status }: Readonly<{ status: string }>) {
  const [word, tone] = WORDS[status] ?? [status, 'calm' as const];
  return <Status tone={tone}>{word}</Status>;
}
