import type { Network } from '#domain/network.ts';
import { createFacebookSimulator } from './facebook/simulator.ts';
import { createInstagramSimulator } from './instagram/simulator.ts';
import type { Simulator, SimulatorOptions } from './simulator.ts';
import { createThreadsSimulator } from './threads/simulator.ts';
import { createXSimulator, type XSimulatorOptions } from './x/simulator.ts';
import type { TiktokOptions } from './tiktok/publish-request.ts';
import { createTiktokSimulator } from './tiktok/simulator.ts';
import { createYoutubeSimulator } from './youtube/simulator.ts';

export type Simulators = Readonly<Record<Network, Simulator>>;

/** The app credentials that every Network of the sandbox accepts, unless it is created with others. */
export const SANDBOX_APP = { clientId: 'crier-sandbox', clientSecret: 'crier-sandbox-secret' } as const;

/** Every Network. Each has its own shelves for its state, and no access to another's. */
export function createSimulators(deps: SimulatorOptions & XSimulatorOptions & TiktokOptions): Simulators {
  return {
    x: createXSimulator(deps),
    threads: createThreadsSimulator(deps),
    facebook: createFacebookSimulator(deps),
    instagram: createInstagramSimulator(deps),
    tiktok: createTiktokSimulator(deps),
    youtube: createYoutubeSimulator(deps),
  };
}
