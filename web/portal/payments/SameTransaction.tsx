import { Notice } from '../../ui/Layout.tsx';
import { hrefOf } from '../../ui/router.tsx';
import { type Others } from './use-same-transaction.ts';

/** Each transfer of a transaction settles one payment; which others name the same transaction helps to see why. */
export function SameTransaction({ others: { known, areAll } }: Readonly<{ others: Others }>) {
  if (known.length === 0) return null;
  return (
    <Notice tone="warn" title="One transaction, several payments">
      A wallet reported this transaction for other payments too:
      <ul>
        {known.map(({ kind, id, page }) => (
          <li key={page}>
            {kind} <a href={hrefOf(page)}>{id}</a>
          </li>
        ))}
      </ul>
      {!areAll && 'There may be more.'}
    </Notice>
  );
}
