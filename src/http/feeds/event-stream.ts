import { Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { Refusal } from '../../kernel/errors';
import { Turns } from '../../kernel/turns';
import { type Feed, type StillAllowed } from './feed';
import { type Listening, NewsBell } from './news-bell';
import { type SharedPage, SharedPages } from './shared-pages';

const HEARTBEAT_MS = 15_000;
/** A reader that takes nothing for this long is disconnected; it reconnects with its last id. */
const WRITE_TIMEOUT_MS = 30_000;
/** Small, so that other callers hardly notice a thousand streams that are being sent a long backlog. */
const STREAMS_PER_TURN = 4;
const HEARTBEAT = Buffer.from(': still here\n\n');

/**
 * The feed as server-sent events. We read no further ahead than the reader takes: a slow reader holds at most one page
 * in memory, and the events wait in the read model.
 */
@Injectable()
export class EventStream {
  private readonly turns = new Turns(STREAMS_PER_TURN);

  constructor(
    private readonly pages: SharedPages,
    private readonly bell: NewsBell,
  ) {}

  /** Runs until the reader leaves, the service stops, or the caller may no longer see the events. */
  async serve(feed: Feed, since: number, stillAllowed: StillAllowed, response: Response): Promise<void> {
    response.status(200).set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
    response.flushHeaders();
    let listening: Listening | undefined;
    response.once('close', () => listening?.stop());
    let cursor = since;
    let bytes: Buffer | undefined;
    try {
      while (!response.closed) {
        if (bytes !== undefined && bytes.length > 0 && !(await this.write(feed, response, bytes))) return;
        // A long backlog must not be sent in one go while all other callers wait.
        await this.turns.myTurn();
        if (this.bell.isOver) return;
        listening = this.bell.listen(feed, performance.now() + HEARTBEAT_MS);
        const page = await this.pages.after(feed, cursor);
        if (bytes === undefined) {
          listening.stop();
          bytes = opening(since, page);
          continue;
        }
        const ring = page.isAtEnd && !response.closed ? await listening.ring : 'found';
        listening.stop();
        if (ring === 'over' || ring === 'capacity' || ring === 'gone') return;
        bytes = ring === 'time' ? HEARTBEAT : page.bytes;
        cursor = page.next;
        // Checked before every page and with every heartbeat: a revocation ends an open stream. After news the page is
        // read first, so that the check does not run twice.
        if (ring !== 'news') await stillAllowed();
      }
    } catch (error) {
      // The response has begun, so a refusal can only end it; the next call gets the reason.
      if (!(error instanceof Refusal)) throw error;
    } finally {
      listening?.stop();
      response.end();
    }
  }

  /** False when the reader does not take what it was sent, or should be sent nothing more. */
  private async write(feed: Feed, response: Response, bytes: Buffer): Promise<boolean> {
    if (response.write(bytes)) return true;
    const writeDeadline = this.bell.listenUntil(feed, performance.now() + WRITE_TIMEOUT_MS);
    response.once('drain', writeDeadline.stop).once('close', writeDeadline.stop);
    const ring = response.writableNeedDrain && !response.closed ? await writeDeadline.ring : 'gone';
    writeDeadline.stop();
    response.off('drain', writeDeadline.stop).off('close', writeDeadline.stop);
    if (ring === 'time') response.destroy();
    return ring === 'gone' && !response.closed;
  }
}

/**
 * A message type of its own, which readers of the feed receive only if they listen for it. It has no id, so the
 * reader's position does not change.
 */
const opening = (since: number, { page: { newest_cursor } }: SharedPage): Buffer =>
  Buffer.from(`retry: 2000\nevent: opened\ndata:${JSON.stringify({ since, newest_cursor })}\n\n`);
