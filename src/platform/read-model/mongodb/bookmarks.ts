import { type Collection } from 'mongodb';
import { type Position } from '../../event-store/event-store.port';

export type StateEntry = {
  _id: string;
  position?: Position;
  fingerprint?: string;
  collection?: string;
  bytes?: number;
};

export const bookmarkOf = (name: string): string => `bookmark of ${name}`;
/** All of them: the exclamation mark comes right after the space. */
const BOOKMARKS = { $gte: 'bookmark of ', $lt: 'bookmark of!' };

/** Sets every bookmark that lies beyond the end to it. */
export async function bringBack(state: Collection<StateEntry>, end: Position): Promise<void> {
  await state.updateMany({ _id: BOOKMARKS, position: { $gt: end } }, { $set: { position: end } });
}
