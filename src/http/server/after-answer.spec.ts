import { EventEmitter } from 'node:events';
import { type Response } from 'express';
import { type Logger } from 'pino';
import { AfterAnswer } from './after-answer';

describe('work after a response', () => {
  const warn = jest.fn();
  let after: AfterAnswer;
  let finish: () => void;
  let work: jest.Mock<Promise<void>>;

  beforeEach(() => {
    warn.mockReset();
    after = new AfterAnswer({ warn } as unknown as Logger);
    work = jest.fn(() => new Promise<void>((resolve) => (finish = resolve)));
  });

  const anAnswer = (closed = false): EventEmitter & Response =>
    Object.assign(new EventEmitter(), { closed }) as unknown as EventEmitter & Response;

  it('begins when the response has left', () => {
    const answer = anAnswer();
    after.run(answer, 'mail', work);
    expect(work).not.toHaveBeenCalled();
    answer.emit('close');
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('begins at once when the caller is gone already', () => {
    after.run(anAnswer(true), 'mail', work);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('is waited for at the stop', async () => {
    after.run(anAnswer(true), 'mail', work);
    let settled = false;
    const settling = after.settle().then(() => (settled = true));
    await Promise.resolve();
    expect(settled).toBe(false);
    finish();
    await settling;
  });

  it('is not awaited forever', async () => {
    jest.useFakeTimers();
    try {
      after.run(anAnswer(true), 'mail', work);
      const settling = after.settle();
      await jest.advanceTimersByTimeAsync(1_000);
      await settling;
    } finally {
      jest.useRealTimers();
    }
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('ends in the log when it fails', async () => {
    const failure = new Error('no mail today');
    after.run(anAnswer(true), 'mail', () => Promise.reject(failure));
    await after.settle();
    expect(warn).toHaveBeenCalledWith({ work: 'mail', err: failure }, expect.any(String));
  });

  it('is dropped, with a warning, when too much of it waits', () => {
    for (let count = 0; count < 1_000; count += 1) after.run(anAnswer(true), 'mail', work);
    expect(warn).not.toHaveBeenCalled();
    after.run(anAnswer(true), 'mail', work);
    expect(work).toHaveBeenCalledTimes(1_000);
    expect(warn).toHaveBeenCalledWith({ work: 'mail' }, expect.any(String));
  });
});
