import { type Position } from '../../event-store/event-store.port';
import { type Checkpoint } from '../read-model.port';
import { encodeNote } from './stored-codec';
import { noteAt, positionAt, type Tables } from './tables';

export const bookmarkOf = (name: string): string => `bookmark of ${name}`;
export const CHECKPOINT = 'checkpoint';
/** `<position> <id>`: with its own position, because an earlier version moves the checkpoint and leaves this as it is. */
export const CHECKPOINT_EVENT = 'event of the checkpoint';

export function checkpointIn(tables: Tables): Checkpoint {
  const position = positionAt(tables, CHECKPOINT);
  const [at, event] = noteAt(tables, CHECKPOINT_EVENT)?.split(' ') ?? [];
  return { position, event: at === String(position) ? event : undefined };
}

/** Inside a write transaction. Never moves back. */
export function moveCheckpoint(tables: Tables, position: Position, event: string | undefined): void {
  if (position <= positionAt(tables, CHECKPOINT)) return;
  tables.state.putSync(CHECKPOINT, encodeNote(String(position)));
  if (event !== undefined) tables.state.putSync(CHECKPOINT_EVENT, encodeNote(`${position} ${event}`));
}
