import { PageHead } from '../../ui/Layout.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { useMerchant } from '../use-merchant.ts';
import { Checklist } from './Checklist.tsx';
import { Figures } from './Figures.tsx';
import { useProgress } from './use-progress.ts';

/** What is still to do; once that is done, how it goes. */
export default function Home() {
  const { merchant } = useMerchant();
  const progress = useProgress();
  return (
    <>
      <PageHead title="Home">
        {merchant.status === 'active'
          ? 'What happens at the moment, and what is left to set up.'
          : 'A few steps until agents can ask for payments in your name.'}
      </PageHead>
      {merchant.status === 'active' && <Figures />}
      <Loaded query={progress} lines={6}>
        {(done) => <Checklist done={done} />}
      </Loaded>
    </>
  );
}
