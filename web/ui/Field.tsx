import { useId } from 'react';
import { useProblems } from './Form.tsx';
import styles from './Field.module.css';

type Frame = Readonly<{
  label: string;
  name: string;
  hint?: React.ReactNode;
  /** Found while typing; replaces what the service said at the last attempt. */
  problem?: string | undefined;
}>;

type Wiring = Readonly<{ id: string; name: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }>;

/** A label, the control, its hint and its problems, wired together. */
function FieldFrame({
  label,
  name,
  hint,
  problem,
  children,
}: Frame & Readonly<{ children: (wiring: Wiring) => React.ReactNode }>) {
  const id = useId();
  const reported = useProblems(name);
  const problems = problem === undefined ? reported : [problem];
  const describedBy = [hint === undefined ? '' : `${id}-hint`, problems.length > 0 ? `${id}-problem` : '']
    .join(' ')
    .trim();
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      {children({ id, name, 'aria-describedby': describedBy || undefined, 'aria-invalid': problems.length > 0 })}
      {hint !== undefined && (
        <div id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </div>
      )}
      {problems.length > 0 && (
        <div id={`${id}-problem`} className={styles['problem']}>
          {problems.map((text) => (
            <p key={text}>{capital(text)}</p>
          ))}
        </div>
      )}
    </div>
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

type Input = React.ComponentProps<'input'>;

export function TextField({ label, name, hint, problem, ...input }: Frame & Omit<Input, 'name'>) {
  return (
    <FieldFrame {...{ label, name, hint, problem }}>
      {(wiring) => <input type="text" autoComplete="off" {...input} {...wiring} className={styles['control']} />}
    </FieldFrame>
  );
}

export function TextArea({
  label,
  name,
  hint,
  problem,
  ...input
}: Frame & Omit<React.ComponentProps<'textarea'>, 'name'>) {
  return (
    <FieldFrame {...{ label, name, hint, problem }}>
      {(wiring) => <textarea rows={3} {...input} {...wiring} className={`${styles['control']} ${styles['area']}`} />}
    </FieldFrame>
  );
}

export function SelectField({
  label,
  name,
  hint,
  problem,
  ...select
}: Frame & Omit<React.ComponentProps<'select'>, 'name'>) {
  return (
    <FieldFrame {...{ label, name, hint, problem }}>
      {(wiring) => <select {...select} {...wiring} className={styles['control']} />}
    </FieldFrame>
  );
}

export function FileField({ label, name, hint, problem, ...input }: Frame & Omit<Input, 'name' | 'type'>) {
  return (
    <FieldFrame {...{ label, name, hint, problem }}>
      {(wiring) => <input type="file" {...input} {...wiring} className={styles['file']} />}
    </FieldFrame>
  );
}

type Choice = Readonly<{ value: string; label: React.ReactNode; hint?: string }>;
type Choices = Readonly<{ label: string; name: string; choices: readonly Choice[]; hint?: string }>;

/** One of several choices, all visible. */
export function RadioField({
  label,
  name,
  choices,
  hint,
  value,
  onChange,
}: Choices & Readonly<{ value: string; onChange: (value: string) => void }>) {
  return (
    <Group {...{ label, name, hint }}>
      {choices.map((choice) => (
        <Tick
          key={choice.value}
          {...choice}
          type="radio"
          name={name}
          checked={choice.value === value}
          onChange={() => onChange(choice.value)}
        />
      ))}
    </Group>
  );
}

/** Any number of several choices. */
export function CheckField({ label, name, choices, hint, chosen }: Choices & Readonly<{ chosen?: readonly string[] }>) {
  return (
    <Group {...{ label, name, hint }}>
      {choices.map((choice) => (
        <Tick
          key={choice.value}
          {...choice}
          type="checkbox"
          name={name}
          defaultChecked={chosen?.includes(choice.value) ?? false}
        />
      ))}
    </Group>
  );
}

/** A single checkbox. */
export const CheckBox = ({ label, ...input }: Omit<Input, 'type'> & Readonly<{ label: React.ReactNode }>) => (
  <Tick {...input} type="checkbox" label={label} />
);

function Group({
  label,
  name,
  hint,
  children,
}: Readonly<{ label: string; name: string; hint?: string | undefined; children: React.ReactNode }>) {
  const id = useId();
  const problems = useProblems(name);
  const describedBy = [hint ? `${id}-hint` : '', problems.length > 0 ? `${id}-problem` : ''].join(' ').trim();
  return (
    <fieldset
      className={styles['group']}
      aria-describedby={describedBy || undefined}
      data-invalid={problems.length > 0 || undefined}
    >
      <legend>{label}</legend>
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
      <div className={styles['choices']}>{children}</div>
      {problems.length > 0 && (
        <div id={`${id}-problem`} className={styles['problem']}>
          {problems.map((text) => (
            <p key={text}>{capital(text)}</p>
          ))}
        </div>
      )}
    </fieldset>
  );
}

function Tick({ label, hint, ...input }: Omit<Input, 'label'> & Readonly<{ label: React.ReactNode; hint?: string }>) {
  const id = useId();
  return (
    <div className={styles['tick']}>
      <input {...input} id={id} aria-describedby={hint === undefined ? undefined : `${id}-hint`} />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
    </div>
  );
}
