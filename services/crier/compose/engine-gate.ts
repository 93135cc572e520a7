import type { Service } from '#runtime/service.ts';
import type { Engine } from '../engines/engine.ts';

/**
 * Holds back the services that are started after it until the engine has all that this release needs. Until then the
 * process is up, and not ready.
 */
export function createEngineGate(engine: Pick<Engine, 'ready'>): Service {
  const ending = new AbortController();
  const end = async (): Promise<void> => ending.abort();
  return { name: 'engine', start: () => engine.ready(ending.signal), drain: end, stop: end, trouble: () => null };
}
