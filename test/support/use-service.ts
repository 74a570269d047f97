import { type ConnectScene, startConnectScene } from './connect-scene';
import { type DnsResponder } from './dns-responder';
import { type Start } from './pairs';
import { type PaymentScene, setPaymentScene, startPaymentDns } from './payments';
import { startTestService, type TestService } from './service';
import { answering, startWebhookReceiver, type WebhookReceiver } from './webhook-receiver';

type Options = NonNullable<Parameters<Start>[0]>;
type Begin = Readonly<{ start?: Start }> & Options;

/** A service for the tests of the enclosing describe: started before them, removed after them. */
export function useService({ start = startTestService, ...options }: Begin = {}): TestService {
  let service: TestService;
  beforeAll(async () => {
    service = await start(options);
  });
  afterAll(() => service.stopAndForget());
  return lazily(() => service);
}

/** The same with a DNS responder that it uses. */
export function useServiceWithDns({ start = startTestService, env = {}, ...options }: Begin = {}): Readonly<{
  service: TestService;
  dns: DnsResponder;
}> {
  let dns: DnsResponder;
  let service: TestService;
  beforeAll(async () => {
    const started = await startPaymentDns();
    dns = started.dns;
    service = await start({ ...options, env: { ...started.env, ...env } });
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });
  return { service: lazily(() => service), dns: lazily(() => dns) };
}

type SetScene<Scene> = (
  service: TestService,
  dns: DnsResponder,
  options: Pick<Options, 'clock'> & Readonly<{ scopes?: readonly string[] }>,
) => Promise<Scene>;

/** The same with everything that a payment request needs, or with the scene that `set` creates. */
export function useScene<Scene extends object = PaymentScene>({
  set = setPaymentScene as unknown as SetScene<Scene>,
  scopes,
  ...begin
}: Begin & Readonly<{ set?: SetScene<Scene>; scopes?: readonly string[] }> = {}): Readonly<{
  service: TestService;
  dns: DnsResponder;
  scene: Scene;
}> {
  const { service, dns } = useServiceWithDns(begin);
  let scene: Scene;
  beforeAll(async () => {
    const { clock } = begin;
    scene = await set(service, dns, { ...(clock ? { clock } : {}), ...(scopes ? { scopes } : {}) });
  });
  return { service, dns, scene: lazily(() => scene) };
}

/** A payment scene with a receiver of webhooks, which accepts everything again after each test. */
export function useWebhookScene({ env = {}, ...begin }: Begin = {}): Readonly<{
  service: TestService;
  dns: DnsResponder;
  scene: PaymentScene;
  receiver: WebhookReceiver;
}> {
  const made = useScene({ ...begin, env: { ...env, ALLOW_PRIVATE_NETWORKS: 'true' } });
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterEach(() => receiver.behave(answering(204)));
  afterAll(() => receiver.close());
  return { ...made, receiver: lazily(() => receiver) };
}

/** A service with a merchant and an agent that is ready to be connected. */
export function useConnectScene(...args: Parameters<typeof startConnectScene>): ConnectScene {
  let scene: ConnectScene;
  beforeAll(async () => {
    scene = await startConnectScene(...args);
  });
  afterAll(() => scene.stop());
  return lazily(() => scene);
}

/** A proxy for what a hook will have created by the time a test uses it. */
function lazily<T extends object>(made: () => T | undefined): T {
  const now = (): T => {
    const thing = made();
    if (thing === undefined) throw new Error('this is there for hooks and tests only, not while they are described');
    return thing;
  };
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(now(), name) as unknown,
    has: (_, name) => Reflect.has(now(), name),
    ownKeys: () => Reflect.ownKeys(now()),
    getOwnPropertyDescriptor: (_, name) => {
      const property = Reflect.getOwnPropertyDescriptor(now(), name);
      return property && { ...property, configurable: true };
    },
  });
}
