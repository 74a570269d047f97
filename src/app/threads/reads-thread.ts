import 'reflect-metadata';
import { SigningKey } from '../../audit/log/signing-key';
import { TransparencyLog } from '../../audit/log/transparency-log';
import { Leadership } from '../../platform/reacting/leadership';
import { runThread } from './thread-parts';

// A program for a thread: writes the read model, and the tree over the log, which is kept there too.
runThread('reads', ({ config, clock, logger, metrics, thread, secret, store, model, projector }) => {
  const key = new SigningKey(secret, config);
  const leadership = new Leadership(undefined, logger);
  const transparency = new TransparencyLog(key, projector, leadership, store, model, config, clock, logger, thread);
  transparency.measure(metrics);
  metrics.gauge('svc_projection_lag_seconds', 'Age of the oldest event not yet readable.', () =>
    projector.lagSeconds(),
  );
  return { begin: () => transparency.start(), retire: () => transparency.stop() };
});
