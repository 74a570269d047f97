import 'reflect-metadata';
import { sendingBy } from '../../capabilities/webhooks/sending';
import { runThread } from './thread-parts';

// The program of a thread: sends webhooks, and has their outcomes recorded.
runThread((parts) => {
  const { dispatcher, sender } = sendingBy(parts);
  dispatcher.onModuleInit();
  return {
    begin: () => dispatcher.start(),
    retire: async () => {
      await dispatcher.stop();
      sender.onModuleDestroy();
    },
  };
});
