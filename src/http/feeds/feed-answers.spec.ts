import { type Response } from 'express';
import { type SvcRequest } from '../server/request-context';
import { type EventStream } from './event-stream';
import { type Feed } from './feed';
import { FeedAnswers } from './feed-answers';
import { EVENT_STREAM } from './feed-input';
import { type LongPolls } from './long-polls';
import { type NewsBell } from './news-bell';
import { type SharedPages } from './shared-pages';

const feed = { key: 'con_1', standing: [] } as unknown as Feed;

/** What a call is answered with: the stream from a cursor on, or a page. */
async function answerTo(method: string, accepted: string, lastEventId?: string): Promise<unknown> {
  const answers: unknown[] = [];
  const stream = { serve: async (_: Feed, since: number) => answers.push(['stream', since]) };
  const polls = { nextPage: async () => ({ events: [] }) };
  const request = {
    method,
    headers: { 'last-event-id': lastEventId },
    accepts: (types: readonly string[]) => types.includes(accepted) && accepted,
  } as unknown as SvcRequest;
  const response = { once: () => response, json: (body: unknown) => answers.push(body) } as unknown as Response;
  const reader = new FeedAnswers(
    polls as unknown as LongPolls,
    stream as unknown as EventStream,
    {} as SharedPages,
    {} as NewsBell,
  );
  await reader.answer(feed, { input: { since: '3' }, request, response, stillAllowed: async () => undefined });
  return answers;
}

describe('a feed is answered', () => {
  const page = { ok: true, events: [] };

  it.each([
    ['GET', EVENT_STREAM, ['stream', 3]],
    ['GET', 'application/json', page],
    // The answer to HEAD has no body: a stream would stay open for a caller that can be sent nothing.
    ['HEAD', EVENT_STREAM, page],
  ])('if it is read with %s as %s', async (method, accepted, expected) =>
    expect(await answerTo(method, accepted)).toEqual([expected]),
  );

  it('from where a reconnecting reader was, not from where it began', async () => {
    expect(await answerTo('GET', EVENT_STREAM, '17')).toEqual([['stream', 17]]);
    expect(await answerTo('GET', EVENT_STREAM, '0')).toEqual([['stream', 0]]);
    expect(await answerTo('GET', EVENT_STREAM, '')).toEqual([['stream', 3]]);
    await expect(answerTo('GET', EVENT_STREAM, '-1')).rejects.toMatchObject({ code: 'validation_failed' });
  });
});
