import type { Network } from '#domain/network.ts';
import { shelf, type SandboxStore } from './store/store.ts';

/** The limits of one Network by name: its defaults, then the values of a test. */
export interface Limits<Name extends string = string> {
  readonly names: readonly Name[];
  get(name: Name): number;
  set(name: Name, value: number): void;
}

/** Overridden limits survive restarts. */
export function createLimits<Name extends string>(
  store: SandboxStore,
  network: Network,
  defaults: Readonly<Record<Name, number>>,
): Limits<Name> {
  const overrides = shelf<Readonly<Partial<Record<Name, number>>>>(store, 'limits');
  return {
    names: Object.keys(defaults) as Name[],
    get: (name) => overrides.get(network)?.[name] ?? defaults[name],
    set: (name, value) =>
      overrides.put(network, { ...overrides.get(network), [name]: value } as Readonly<Partial<Record<Name, number>>>),
  };
}
