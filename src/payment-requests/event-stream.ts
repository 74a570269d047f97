import { Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { type PaymentRequestEventView } from '../../projections/payment-request-events.projection';
import { type ConnectionCaller } from '../http/guards/connection.guard';
import { Refusal } from '../kernel/errors';
import { EventFeed, type StillAllowed } from './event-feed';
import { type Listening, NewsBell } from './news-bell';

const PAGE = 100;
const HEARTBEAT_MS = 15_000;
/** A reader that takes nothing for this long is let go; it comes back with its last id. */
const PATIENCE_MS = 30_000;

/**
 * The feed as server-sent events. What was not yet read by the other side is not yet read by us: a slow reader holds one
 * page in memory at most, and the events wait in the read model.
 */
@Injectable()
export class EventStream {
  constructor(
    private readonly feed: EventFeed,
    private readonly bell: NewsBell,
  ) {}

  /** Runs until the reader leaves, the service stops, or the caller may no longer see the events. */
  async serve(caller: ConnectionCaller, since: number, stillAllowed: StillAllowed, response: Response): Promise<void> {
    response.status(200).set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
    response.flushHeaders();
    let listening: Listening | undefined;
    response.once('close', () => listening?.stop());
    let cursor = since;
    let text = 'retry: 2000\n\n';
    try {
      while (!response.closed) {
        if (text !== '' && !(await this.write(response, text, caller))) return;
        listening = this.bell.listen(caller, Date.now() + HEARTBEAT_MS);
        const { events, next_cursor } = await this.feed.page(caller.connectionId, cursor, PAGE);
        text = events.map(asMessage).join('');
        const ring = text === '' && !response.closed ? await listening.heard : 'news';
        listening.stop();
        if (ring === 'over' || ring === 'gone') return;
        // Asked before every page and with every heartbeat: what was revoked while the stream is open ends it.
        await stillAllowed();
        if (ring === 'time') text = ': still here\n\n';
        cursor = next_cursor;
      }
    } catch (error) {
      // The answer has begun, so a refusal can only be told by its end; the next call is told the reason.
      if (!(error instanceof Refusal)) throw error;
    } finally {
      listening?.stop();
      response.end();
    }
  }

  /** False when the other side does not take what it was sent. */
  private async write(response: Response, text: string, caller: ConnectionCaller): Promise<boolean> {
    if (response.write(text)) return true;
    const deadline = Date.now() + PATIENCE_MS;
    while (response.writableNeedDrain && !response.closed) {
      const patience = this.bell.listen(caller, deadline);
      response.once('drain', patience.stop).once('close', patience.stop);
      const ring = await patience.heard;
      response.off('drain', patience.stop).off('close', patience.stop);
      if (ring === 'time' || ring === 'over') {
        response.destroy();
        return false;
      }
    }
    return !response.closed;
  }
}

const asMessage = (event: PaymentRequestEventView): string => `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`;
