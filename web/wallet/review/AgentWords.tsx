import { type TransactionContext } from '../../../sdk/src/types/payment.ts';
import { Facts, Muted } from '../../ui/Layout.tsx';
import { type Payment } from './payments.ts';
import styles from './AgentWords.module.css';

/** What the agent wrote. Nobody has checked it, and it looks as such. */
export function AgentWords({
  payment,
  context,
  toldSince,
}: Readonly<{ payment: Payment; context: TransactionContext | undefined; toldSince: boolean }>) {
  const display = Object.entries(payment.display ?? {}).filter(([, value]) => isPlain(value));
  if (context === undefined && display.length === 0 && !toldSince) return null;
  return (
    <section className={styles['words']} aria-label="In the agent’s words">
      <h2>In the agent’s words</h2>
      <Muted>Written by {payment.agentName ?? 'the agent'}; nobody has checked it.</Muted>
      {toldSince && <Muted>The agent has changed its words since it asked. What it asked for is shown here.</Muted>}
      <blockquote>
        {context !== undefined && (
          <>
            <p className={styles['title']}>{context.title}</p>
            {context.summary !== undefined && <p>{context.summary}</p>}
            {context.items.length > 0 && <Facts facts={context.items.map(({ label, value }) => [label, value])} />}
            {/* As text: a link would take a person from here to wherever the agent likes. */}
            {context.reference_url !== undefined && <p className={styles['small']}>{context.reference_url}</p>}
          </>
        )}
        {display.length > 0 && <Facts facts={display.map(([name, value]) => [name, String(value)])} />}
      </blockquote>
    </section>
  );
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
