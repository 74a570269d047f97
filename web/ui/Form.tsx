import { createContext, useContext, useEffect, useRef, useState } from 'react';
import { type Issue, SvcError } from '../../sdk/src/errors.ts';
import { ErrorNotice } from '../live/ErrorNotice.tsx';
import { useStaysOpen } from './stays-open.ts';
import styles from './Field.module.css';

type Problems = Readonly<{ messages: (field: string) => readonly string[] }>;

const ProblemsContext = createContext<Problems>({ messages: () => [] });

/** What the service said about this field at the last attempt. */
export const useProblems = (field: string): readonly string[] => useContext(ProblemsContext).messages(field);

/** A field, or the first choice of a group: a group itself cannot be focused. */
const FIRST_PROBLEM = '[aria-invalid="true"], fieldset[data-invalid] input';

type FormProps = Readonly<{
  onSubmit: (form: FormData) => Promise<unknown>;
  /** Receives the state that the submit button after the fields needs. */
  children: (state: Readonly<{ isPending: boolean }>) => React.ReactNode;
  /** The names of the fields that show their own problems; others are listed above the form. */
  fields: readonly string[];
  label?: string;
}>;

/**
 * Sends once, however often it is submitted. What was typed stays: a response never clears the fields. Every problem
 * the service reports is shown at its field.
 */
export function Form({ onSubmit, children, fields, label }: FormProps) {
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const [answers, setAnswers] = useState(0);
  const isSending = useRef(false);
  const element = useRef<HTMLFormElement>(null);
  useStaysOpen(isPending);

  const submit = async (event: React.SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isSending.current) return;
    isSending.current = true;
    setPending(true);
    try {
      await onSubmit(new FormData(event.currentTarget));
      setError(undefined);
    } catch (caught) {
      setError(caught);
    } finally {
      isSending.current = false;
      setPending(false);
      setAnswers((count) => count + 1);
    }
  };

  // Once problems are shown, whether from the service or the page, focus moves to the first of them.
  useEffect(() => {
    if (answers > 0) element.current?.querySelector<HTMLElement>(FIRST_PROBLEM)?.focus();
  }, [answers]);

  const issues = error instanceof SvcError ? issuesOf(error) : [];
  const isShown = (field: string): boolean => fields.some((name) => belongsTo(field, name));
  const elsewhere = issues.filter(({ field }) => !isShown(field));
  const messages = (name: string): string[] =>
    issues.filter(({ field }) => belongsTo(field, name)).map(({ message }) => message);
  return (
    <form ref={element} className={styles['form']} noValidate aria-label={label} onSubmit={submit}>
      {error !== undefined && (issues.length === 0 || elsewhere.length > 0) && (
        <ErrorNotice error={error} issues={elsewhere} />
      )}
      <ProblemsContext value={{ messages }}>{children({ isPending })}</ProblemsContext>
    </form>
  );
}

/** An error with a single cause carries its field itself. */
const issuesOf = ({ issues, field, code, message }: SvcError): readonly Issue[] =>
  issues.length > 0 || field === undefined ? issues : [{ code, field, message }];

/** `allowed_scopes.2` belongs to `allowed_scopes`. */
const belongsTo = (field: string, name: string): boolean => field === name || field.startsWith(`${name}.`);

export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};
