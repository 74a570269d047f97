import { useQuery } from '@tanstack/react-query';
import { hrefOf, usePlace } from '../ui/router.tsx';
import { Button } from '../ui/Button.tsx';
import { useWallet } from './device/use-wallet.ts';
import { wallet } from './device/wallet.ts';
import { invitationsQuery } from './connect/queries.ts';
import { paymentsQuery } from './review/queries.ts';
import styles from './Navigation.module.css';

type NavigationLink = Readonly<{ to: string; name: string; paths: readonly string[] }>;

/** Drawn inline: five icons are smaller than any icon set. */
const PLACES: readonly NavigationLink[] = [
  { to: '/requests', name: 'Requests', paths: ['M4 5h16v11H9l-5 4z', 'M8 9h8M8 12.5h5'] },
  {
    to: '/connections',
    name: 'Connections',
    paths: ['M9 15l6-6', 'M11 6l2-2a4.2 4.2 0 016 6l-2 2M13 18l-2 2a4.2 4.2 0 01-6-6l2-2'],
  },
  { to: '/policies', name: 'Policies', paths: ['M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z', 'M9 12l2 2 4-4'] },
  { to: '/keys', name: 'Keys', paths: ['M8 19a4 4 0 110-8 4 4 0 010 8z', 'M11 12l8-8M16 7l3 3'] },
  { to: '/device', name: 'Device', paths: ['M7 3h10v18H7z', 'M11 18h2'] },
];

export function Navigation({ badge }: Readonly<{ badge: React.ReactNode }>) {
  const { path } = usePlace();
  const waiting = useWaiting();
  const isHere = (to: string): boolean =>
    path.startsWith(to) || (to === '/requests' && (path === '/' || path.startsWith('/agent-payments')));
  return (
    <header className={styles['top']}>
      <div className={styles['bar']}>
        <span className={styles['brand']}>Wallet</span>
        <div className={styles['badge']}>{badge}</div>
        <Button size="small" onPress={() => wallet.lockEverywhere()}>
          Lock
        </Button>
      </div>
      <nav className={styles['nav']} aria-label="Main">
        {PLACES.map(({ to, name, paths }) => (
          <a key={to} href={hrefOf(to)} aria-current={isHere(to) ? 'page' : undefined}>
            <svg viewBox="0 0 24 24" aria-hidden="true">
              {paths.map((stroke) => (
                <path key={stroke} d={stroke} />
              ))}
            </svg>
            {name}
            {(waiting[to] ?? 0) > 0 && (
              <span className={styles['count']} aria-hidden="true">
                {waiting[to]}
              </span>
            )}
          </a>
        ))}
      </nav>
    </header>
  );
}

/** How many items wait for the person, by page. */
function useWaiting(): Readonly<Record<string, number>> {
  const { client } = useWallet();
  const { data: payments = [] } = useQuery(paymentsQuery(client));
  const { data: invitations = [] } = useQuery(invitationsQuery(client));
  return {
    '/requests': payments.filter(({ status }) => status === 'pending').length,
    '/connections': invitations.length,
  };
}
