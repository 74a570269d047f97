import { useQuery } from '@tanstack/react-query';
import { SvcConnectionError, SvcError } from '../../sdk/src/errors.ts';
import { PageError } from './page-error.ts';
import { service } from './service.ts';

export type Explained = Readonly<{
  message: string;
  recovery: string | undefined;
  code: string;
  requestId: string | undefined;
}>;

/** The error in words, with the recovery from the service's own error catalogue. */
export function useExplained(error: unknown): Explained {
  const { data: catalogue = [] } = useQuery({
    queryKey: ['error-catalogue'],
    queryFn: ({ signal }) => service.errors({ signal }),
    staleTime: Infinity,
    gcTime: Infinity,
  });
  if (error instanceof SvcError) {
    const { recovery } = catalogue.find(({ code }) => code === error.code) ?? {};
    return { message: withoutEnd(error.message, recovery), recovery, code: error.code, requestId: error.requestId };
  }
  if (error instanceof SvcConnectionError) {
    return {
      message: 'The service did not answer.',
      recovery: 'Check your connection, then try again. What you typed is still here.',
      code: 'no_answer',
      requestId: undefined,
    };
  }
  if (error instanceof PageError) {
    const { message, recovery, code } = error;
    return { message, recovery, code, requestId: undefined };
  }
  const message = error instanceof Error ? error.message : 'Something went wrong on this page.';
  return { message, recovery: undefined, code: 'page_error', requestId: undefined };
}

/** Many of the service's messages end with the recovery, which is shown separately: it would appear twice. */
function withoutEnd(message: string, recovery: string | undefined): string {
  if (recovery === undefined || !message.endsWith(recovery)) return message;
  const rest = message.slice(0, -recovery.length).trim();
  return rest === '' ? message : rest;
}

export const isCode = (error: unknown, ...codes: readonly string[]): error is SvcError =>
  error instanceof SvcError && codes.includes(error.code);
