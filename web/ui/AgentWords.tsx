import { type FreeForm } from '../../sdk/src/types/common.ts';
import { type TransactionContext } from '../../sdk/src/types/payment.ts';
import { Facts, Muted } from './Layout.tsx';
import styles from './AgentWords.module.css';

type AgentWordsProps = Readonly<{
  agentName: string | undefined;
  context: TransactionContext | undefined;
  /** Whether the agent has changed its context since it asked. */
  toldSince: boolean;
  display?: FreeForm | undefined;
  metadata?: FreeForm | undefined;
}>;

/** What the agent wrote, marked as unchecked. */
export function AgentWords({ agentName, context, toldSince, display, metadata }: AgentWordsProps) {
  const shown = plainOf(display);
  const hasMetadata = metadata !== undefined && Object.keys(metadata).length > 0;
  if (context === undefined && shown.length === 0 && !hasMetadata && !toldSince) return null;
  return (
    <section className={styles['words']} aria-label="Context, in the agent’s words">
      <h2>Context, in the agent’s words</h2>
      <Muted>Written by {agentName ?? 'the agent'}; nobody has checked it.</Muted>
      {toldSince && (
        <Muted>The agent has changed its description since it asked. The one shown here is from when it asked.</Muted>
      )}
      <blockquote>
        {context !== undefined && (
          <>
            <p className={styles['title']}>{context.title}</p>
            {context.summary !== undefined && <p className={styles['lines']}>{context.summary}</p>}
            {context.items.length > 0 && (
              <Facts
                facts={context.items.map(({ label, value }) => [
                  label,
                  <span key="value" className={styles['lines']}>
                    {value}
                  </span>,
                ])}
              />
            )}
            {/* As text: a link would take the person to a place of the agent's choosing. */}
            {context.reference_url !== undefined && <p className={styles['small']}>{context.reference_url}</p>}
          </>
        )}
        {shown.length > 0 && <Facts facts={shown} />}
        {hasMetadata && <Facts facts={[['Metadata', <code key="metadata">{JSON.stringify(metadata)}</code>]]} />}
      </blockquote>
    </section>
  );
}

const plainOf = (display: FreeForm | undefined): readonly (readonly [string, string])[] =>
  Object.entries(display ?? {})
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => [name, String(value)]);
