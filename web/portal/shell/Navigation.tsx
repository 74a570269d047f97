import { useEffect, useRef } from 'react';
import { hrefOf, usePlace } from '../../ui/router.tsx';
import styles from './Inside.module.css';

const LINKS: readonly (readonly [string, string])[] = [
  ['Home', '/'],
  ['Domains', '/domains'],
  ['Payees', '/payees'],
  ['Agents', '/agents'],
  ['Payments', '/payments'],
  ['Webhooks', '/webhooks'],
  ['Policies', '/policies'],
  ['Connections', '/connections'],
  ['API keys', '/api-keys'],
  ['Audit', '/audit'],
  ['Organization', '/organization'],
];

export function Navigation() {
  const { path: address } = usePlace();
  // Agent payments are payments too, and are reached from that page.
  const path = address.replace(/^\/agent-payments/, '/payments');
  const bar = useRef<HTMLUListElement>(null);
  const isHere = (place: string): boolean => path === place || (place !== '/' && path.startsWith(`${place}/`));
  useEffect(() => {
    // On a narrow screen the links are in a scrollable row: the current page's link should be visible, also after the
    // screen is rotated.
    const show = (): void => {
      const here = bar.current?.querySelector<HTMLElement>('[aria-current]');
      if (here && bar.current)
        bar.current.scrollLeft = here.offsetLeft - bar.current.clientWidth / 2 + here.clientWidth / 2;
    };
    show();
    window.addEventListener('resize', show);
    return () => window.removeEventListener('resize', show);
  }, [path]);
  return (
    <nav aria-label="Main">
      <ul ref={bar} className={styles['links']}>
        {LINKS.map(([name, place]) => (
          <li key={place}>
            <a href={hrefOf(place)} aria-current={isHere(place) ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
