import { type Collection } from 'mongodb';
import { LOG_START, type Position } from '../../event-store/event-store.port';
import { maxBookmark } from '../max-bookmark';

export type StateEntry = {
  _id: string;
  position?: Position;
  /** Of the checkpoint: the id of the event at its position. */
  event?: string;
  fingerprint?: string;
  collection?: string;
  bytes?: number;
};

export const bookmarkOf = (name: string): string => `bookmark of ${name}`;
/** Matches all bookmarks: `!` is the next character after the space. */
const BOOKMARKS = { $gte: 'bookmark of ', $lt: 'bookmark of!' };

/** Lowers every bookmark that lies beyond what a log with this end can have. */
export async function clampBookmarks(state: Collection<StateEntry>, end: Position): Promise<void> {
  for (const { _id, position = LOG_START } of await state.find({ _id: BOOKMARKS, position: { $gt: end } }).toArray()) {
    const furthest = maxBookmark(_id, end);
    if (position > furthest)
      await state.updateOne({ _id, position: { $gt: furthest } }, { $set: { position: furthest } });
  }
}
