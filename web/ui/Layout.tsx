import { Heading } from './Heading.tsx';
import styles from './Layout.module.css';

/** The page's heading, what it is about, and its actions. */
export const PageHead = ({
  title,
  children,
  action,
}: Readonly<{ title: React.ReactNode; children?: React.ReactNode; action?: React.ReactNode }>) => (
  <header className={styles['head']}>
    <div>
      <Heading>{title}</Heading>
      {children !== undefined && <p className={styles['lead']}>{children}</p>}
    </div>
    {action !== undefined && <div className={styles['actions']}>{action}</div>}
  </header>
);

/** A part of a page with its own heading. */
export const Section = ({
  title,
  children,
  action,
}: Readonly<{ title: string; children: React.ReactNode; action?: React.ReactNode }>) => (
  <section className={styles['section']} aria-label={title}>
    <div className={styles['head']}>
      <h2>{title}</h2>
      {action !== undefined && <div className={styles['actions']}>{action}</div>}
    </div>
    {children}
  </section>
);

export const Card = ({ children }: Readonly<{ children: React.ReactNode }>) => (
  <div className={styles['card']}>{children}</div>
);

/** Names and values. */
export const Facts = ({ facts }: Readonly<{ facts: readonly (readonly [string, React.ReactNode])[] }>) => (
  <dl className={styles['facts']}>
    {/* A list may use a name twice. */}
    {facts.map(([name, value], at) => (
      <div key={`${at} ${name}`}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** Side by side where there is room for two. */
export const Columns = ({ children }: Readonly<{ children: React.ReactNode }>) => (
  <div className={styles['columns']}>{children}</div>
);

export const Stack = ({ children }: Readonly<{ children: React.ReactNode }>) => (
  <div className={styles['stack']}>{children}</div>
);
/** `end` where a button sits next to a field, which has its label above it. */
export const Row = ({ align, children }: Readonly<{ align?: 'end'; children: React.ReactNode }>) => (
  <div className={styles['row']} data-align={align}>
    {children}
  </div>
);
export const Muted = ({ children }: Readonly<{ children: React.ReactNode }>) => (
  <span className={styles['muted']}>{children}</span>
);

/** Something to know before continuing. */
export const Notice = ({
  tone = 'calm',
  title,
  children,
}: Readonly<{ tone?: 'calm' | 'warn' | 'bad' | 'good'; title?: string; children: React.ReactNode }>) => (
  <div className={`${styles['notice']} ${styles[tone]}`}>
    {title !== undefined && <p className={styles['noticeTitle']}>{title}</p>}
    <div>{children}</div>
  </div>
);
