import { type PaymentScene, setPaymentScene, startPaymentDns } from './payments';
import { startTestService, type TestService } from './service';

/**
 * A merchant, a recipient, an agent and a wallet, connected: created in this process and left in the directory, to be
 * served by another. `also` may add to the scene before this service stops.
 */
export async function prepareScene(
  dataDir: string,
  also: (service: TestService, scene: PaymentScene) => Promise<void> = () => Promise.resolve(),
  stores: Readonly<Record<string, string>> = {},
): Promise<PaymentScene> {
  const { dns, env } = await startPaymentDns();
  const service = await startTestService({ env: { ...stores, ...env }, dataDir });
  const scene = await setPaymentScene(service, dns);
  await also(service, scene);
  await service.stop();
  await dns.close();
  return scene;
}
