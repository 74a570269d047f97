import { LinkButton } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Status } from '../../ui/Status.tsx';
import { type Progress } from './use-progress.ts';
import styles from './Home.module.css';

type Step = Readonly<{ key: keyof Progress; title: string; why: string; to: string; next: string }>;

const STEPS: readonly Step[] = [
  {
    key: 'domain',
    title: 'Domain proven',
    why: 'It is shown next to your name wherever a person decides.',
    to: '/domains',
    next: 'Prove a domain',
  },
  {
    key: 'payee',
    title: 'Payee active',
    why: 'Where the money goes, bound to your domain.',
    to: '/payees',
    next: 'Add a payee',
  },
  {
    key: 'agent',
    title: 'Agent active',
    why: 'The program that asks, with its own key.',
    to: '/agents',
    next: 'Create an agent',
  },
  {
    key: 'webhook',
    title: 'Webhook verified',
    why: 'So that your systems learn about every payment.',
    to: '/webhooks',
    next: 'Add an endpoint',
  },
  {
    key: 'wallet',
    title: 'Wallet connected',
    why: 'A person allows your agent to ask them.',
    to: '/connections',
    next: 'See how',
  },
  {
    key: 'payment',
    title: 'First payment',
    why: 'Asked by the agent, approved by the person.',
    to: '/payments',
    next: 'Look for it',
  },
];

export function Checklist({ done }: Readonly<{ done: Progress }>) {
  const first = STEPS.find(({ key }) => !done[key]);
  const count = STEPS.filter(({ key }) => done[key]).length;
  if (first === undefined) return null;
  return (
    <Section title={`Set up: ${count} of ${STEPS.length} done`}>
      <ol className={styles['steps']}>
        {STEPS.map(({ key, title, why, to, next }) => (
          <li key={key} data-done={done[key]}>
            <span className={styles['mark']} aria-hidden="true" />
            <div>
              <strong>{title}</strong>
              <p>{why}</p>
            </div>
            {done[key] ? (
              <Status tone="good">Done</Status>
            ) : (
              <LinkButton to={to} look={key === first.key ? 'main' : 'plain'} size="small">
                {next}
              </LinkButton>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}
