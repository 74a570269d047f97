import { type Collection } from 'mongodb';
import { LOG_START, type Position } from '../../event-store/event-store.port';
import { furthestMark } from '../furthest-mark';

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

/** Brings back every bookmark that a log with this end cannot have. */
export async function bringBack(state: Collection<StateEntry>, end: Position): Promise<void> {
  for (const { _id, position = LOG_START } of await state.find({ _id: BOOKMARKS, position: { $gt: end } }).toArray()) {
    const furthest = furthestMark(_id, end);
    if (position > furthest)
      await state.updateOne({ _id, position: { $gt: furthest } }, { $set: { position: furthest } });
  }
}
