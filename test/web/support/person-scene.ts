import { type Browser, type BrowserContextOptions } from 'playwright-core';
import { type AgentClient } from '../../../sdk/src/index.ts';
import { leave, NARROW, visit, type Visit } from './browser';
import { Person, stretchQuickly } from './person';
import { type SceneOptions, startWalletScene, type WalletScene } from './wallet-scene';

export type PersonScene = WalletScene & Readonly<{ visitor: Visit; person: Person }>;

/**
 * A wallet scene with a person using the wallet on a phone. Unless a test needs the worker that keeps the wallet's
 * shell, there is none: it loads everything a second time, and every file of every reload passes through it.
 */
export async function startPersonScene(
  browser: Browser,
  { withNetwork = true, env = {}, ...options }: BrowserContextOptions & SceneOptions = {},
): Promise<PersonScene> {
  const scene = await startWalletScene({ withNetwork, env });
  const visitor = await visit(browser, [scene.url, scene.horizon.url], {
    viewport: NARROW,
    serviceWorkers: 'block',
    ...options,
  });
  await stretchQuickly(visitor.page.context());
  return {
    ...scene,
    visitor,
    person: new Person(visitor.page, scene.url),
    stop: async () => {
      await leave(visitor.page);
      await scene.stop();
    },
  };
}

export type ConnectedScene = PersonScene & Readonly<{ agent: AgentClient }>;

/** The same, with money in the wallet and an agent that is connected to it. */
export async function startConnectedScene(browser: Browser): Promise<ConnectedScene> {
  const scene = await startPersonScene(browser);
  const agent = await scene.newAgent();
  await scene.person.setUp();
  scene.horizon.fund(await scene.person.address());
  await scene.person.connect(agent);
  return { ...scene, agent };
}
