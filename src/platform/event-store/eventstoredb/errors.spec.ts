import {
  AccessDeniedError,
  CancelledError,
  DeadlineExceededError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import { StoreUnavailable } from '../event-store.port';
import { appendFailure, breaksClient, TimedOut, readFailure } from './errors';

const coded = (code: number): Error => Object.assign(new Error('status'), { code });
const unknown = (code?: number, message = ''): Error => Object.assign(new UnknownError(), { code, message });

const outcomeOf = (failure: unknown): string =>
  failure instanceof StoreUnavailable ? failure.outcome : 'thrown as it is';

describe('errors of the driver', () => {
  it.each([
    ['unavailable', new UnavailableError(), 'unknown', 'unknown'],
    ['cancelled by the server', new CancelledError(), 'unknown', 'unknown'],
    ['timed out on the server', new TimeoutError(), 'hanging', 'unknown'],
    ['past its deadline', new DeadlineExceededError(), 'hanging', 'unknown'],
    ['our own bound', new TimedOut(), 'hanging', 'hanging'],
    ['a plain "unavailable"', coded(14), 'unknown', 'unknown'],
    ['a plain "internal"', coded(13), 'unknown', 'unknown'],
    ['no node found', new Error('Failed to discover after 10 attempts.'), 'unknown', 'unknown'],
    ['a channel closed meanwhile', new Error('Channel has been shut down'), 'unknown', 'unknown'],
    ['a broken shared call', unknown(8), 'unknown', 'unknown'],
    ['a failing handler on the shared call', unknown(2), 'thrown as it is', 'unknown'],
    ['an answer that has no name', unknown(), 'thrown as it is', 'unknown'],
    ['an election', unknown(undefined, 'Could not recognize Server Is Not Ready'), 'unknown', 'unknown'],
    ['no leader to ask', unknown(2, 'No leader info available in response'), 'unknown', 'unknown'],
    ['too much to append', MaxAppendSizeExceededError.fromMaxAppendSize(1), 'thrown as it is', 'thrown as it is'],
    ['no permission', new AccessDeniedError(), 'thrown as it is', 'thrown as it is'],
    ['a tombstone', StreamDeletedError.fromStreamName('a-1'), 'thrown as it is', 'thrown as it is'],
    ['a mistake of ours', new TypeError('x is not a function'), 'thrown as it is', 'thrown as it is'],
  ])('%s: reads and appends', (_, error, reading, appending) => {
    expect(outcomeOf(readFailure(error))).toBe(reading);
    expect(outcomeOf(appendFailure(error))).toBe(appending);
  });

  it.each([
    ['no node found', new Error('Failed to discover after 10 attempts.'), true],
    ['a plain "internal"', coded(13), true],
    ['a plain "unavailable"', coded(14), false],
    ['unavailable', new UnavailableError(), false],
    ['a broken shared call', unknown(8), false],
    ['our own bound', new TimedOut(), false],
    ['a mistake of ours', new TypeError('x is not a function'), false],
  ])('%s: does the client have to be replaced', (_, error, broken) => {
    expect(breaksClient(error)).toBe(broken);
  });
});
