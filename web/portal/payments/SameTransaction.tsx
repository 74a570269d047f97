import { Notice } from '../../ui/Layout.tsx';
import { hrefOf } from '../../ui/router.tsx';

/** The service compares each request on its own, so one transaction can match two equal requests. */
export function SameTransaction({ others }: Readonly<{ others: readonly string[] }>) {
  if (others.length === 0) return null;
  return (
    <Notice tone="warn" title="One transaction, several requests">
      A wallet reported this transaction for other requests too:
      <ul>
        {others.map((id) => (
          <li key={id}>
            <a href={hrefOf(`/payments/${id}`)}>{id}</a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
