import { Heading } from './Heading.tsx';
import styles from './Layout.module.css';

/** The page's heading, what it is about, and what can be done there. */
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

/** A part of a page with a heading of its own. */
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
    {/* Whoever writes lists may use a name twice. */}
    {facts.map(([name, value], at) => (
      <div key={`${at} ${name}`}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** Beside each other where there is room for two. */
export const Columns = ({ children }: Readonly<{ children: React.ReactNode }>) => (
  <div className={styles['columns']}>{children}</div>
);

export const Stack = ({ children }: Readonly<{ children: React.ReactNode }>) => (
  <div className={styles['stack']}>{children}</div>
);
/** `end` where a button stands beside a field, which has its label above it. */
export const Row = ({ align, children }: Readonly<{ align?: 'end'; children: React.ReactNode }>) => (
  <div className={styles['row']} data-align={align}>
    {children}
  </div>
);
export const Muted = ({ children }: Readonly<{ children: React.ReactNode }>) => (
  <span className={styles['muted']}>{children}</span>
);

/** Something to know before going on. */
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
