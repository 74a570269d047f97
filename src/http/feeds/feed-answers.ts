import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { refuseInput } from '../../kernel/errors';
import { type SvcRequest } from '../server/request-context';
import { EventStream } from './event-stream';
import { type Feed, type FeedReaders, type StillAllowed } from './feed';
import { EVENT_STREAM, type FeedInput, isCursor, pollOf } from './feed-input';
import { LongPolls } from './long-polls';
import { NewsBell } from './news-bell';
import { SharedPages } from './shared-pages';

/** For running a guard again, long after it admitted the request. */
export const Execution = createParamDecorator((_: unknown, execution: ExecutionContext) => execution);

type Call = Readonly<{ input: FeedInput; request: SvcRequest; response: Response; stillAllowed: StillAllowed }>;

/** The one way to read a feed: at once, by long poll, or as a stream. */
@Injectable()
export class FeedAnswers implements FeedReaders {
  constructor(
    private readonly polls: LongPolls,
    private readonly stream: EventStream,
    private readonly pages: SharedPages,
    private readonly bell: NewsBell,
  ) {}

  grown(key: string): void {
    this.pages.forget(key);
    this.bell.news(key);
  }

  someHaveGrown(): void {
    this.pages.forgetAll();
    this.bell.newsForAll();
  }

  async answer(feed: Feed, { input, request, response, stillAllowed }: Call): Promise<void> {
    const poll = pollOf(input);
    if (request.method === 'GET' && request.accepts(['application/json', EVENT_STREAM]) === EVENT_STREAM) {
      await this.stream.serve(feed, lastSeen(request) ?? poll.since, stillAllowed, response);
      return;
    }
    const whenGone = (leave: () => void): void => void response.once('close', leave);
    response.json({ ok: true, ...(await this.polls.nextPage(feed, poll, stillAllowed, whenGone)) });
  }
}

/** A reconnecting reader sends its last position; its URL still has the one it began with. */
function lastSeen({ headers }: SvcRequest): number | undefined {
  const value = headers['last-event-id'];
  if (value === undefined || value === '') return undefined;
  if (isCursor(value)) return Number(value);
  throw refuseInput([{ code: 'out_of_range', field: 'last-event-id', message: 'must be the id of an event received' }]);
}
