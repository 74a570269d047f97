import { SvcError } from '../../sdk/src/index.ts';
import { failureOf } from './tool-errors.ts';
it.each([
  ['unreadable_answer', 502],
  ['unreadable_answer', 504],
  ['internal_error', 500],
  ['service_unavailable', 503],
])(
  'after %s (HTTP %i) a model is told to repeat with the same reference, as nobody knows whether it took effect',
  (code, status) => {
    const error = new SvcError({ code, status, message: 'Bad gateway', requestId: undefined });
    expect(failureOf(error, new Map())).toMatchObject({ safe_to_repeat: true });
  },
);
