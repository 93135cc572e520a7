import { PortError } from '#ports/errors.ts';
import type { Owner, SimulationEngine } from './engine.ts';
import type { Dice } from './dice.ts';
import type { SimulatedRole } from './roles.ts';

/** What a process reaches over the network of its installation. */
export type EnginePort = 'store' | 'log' | 'blobs';

/**
 * An engine that some processes can't use for a while, and that recovers, while all of them stay members of their
 * groups: no partition changes its owner, and what stood still has to go on by itself.
 */
export interface Stall {
  readonly role: SimulatedRole;
  /** One process of the role; null: all of them. */
  readonly process: string | null;
  readonly ports: readonly EnginePort[];
  /** `hang`: calls wait for the end of the stall, or for their own deadline. `refuse`: they fail at once. */
  readonly how: 'hang' | 'refuse';
  readonly until: number;
}

type Caller = Owner & { readonly role: SimulatedRole };

const MAX_STALL_MS = 60_000;
/** After so long a client gives up. */
const CALL_DEADLINE_MS = 12_000;
const ALL_PORTS: readonly EnginePort[] = ['store', 'log', 'blobs'];
const PORTS: readonly (readonly EnginePort[])[] = [['store'], ['log'], ALL_PORTS];

/** `isOneEngine`: log and store are one, and neither is away without the other. */
export function drawStall(
  dice: Dice,
  { now, isOneEngine }: { readonly now: number; readonly isOneEngine: boolean },
  victims: readonly Caller[],
): Stall {
  const { role, name } = dice.pick(victims);
  return {
    role,
    process: dice.chance(0.5) ? name : null,
    ports: isOneEngine ? ALL_PORTS : dice.pick(PORTS),
    how: dice.chance(0.6) ? 'hang' : 'refuse',
    until: now + dice.between(1_000, MAX_STALL_MS),
  };
}

/** The stalls of a world. */
export class Stalls {
  readonly #engine: SimulationEngine;
  #all: readonly Stall[] = [];

  constructor(engine: SimulationEngine) {
    this.#engine = engine;
  }

  begin(stall: Stall): void {
    this.#all = [...this.#all.filter(({ until }) => until > this.#engine.now), stall];
  }

  /** No further call stalls; those that hang go on when they would have. */
  end(): void {
    this.#all = [];
  }

  /** Before a call. Rejects with `PortError`: `unknown` where the call may have reached the engine. */
  async pass(owner: Caller, port: EnginePort, mayHaveArrived: boolean): Promise<void> {
    const { now } = this.#engine;
    const stall = this.#all.find((each) => each.until > now && isMeant(each, owner, port));
    if (stall === undefined) return;
    if (stall.how === 'refuse') throw new PortError('unavailable', `the ${port} refuses ${owner.name}`);
    const leftMs = stall.until - now;
    await this.#engine.pass({
      label: `${owner.name} hangs at the ${port}`,
      owner,
      delayMs: Math.min(leftMs, CALL_DEADLINE_MS),
    });
    if (leftMs > CALL_DEADLINE_MS)
      throw new PortError(mayHaveArrived ? 'unknown' : 'unavailable', `the ${port} did not answer ${owner.name}`);
  }
}

function isMeant({ role, process, ports }: Stall, owner: Caller, port: EnginePort): boolean {
  return role === owner.role && (process === null || process === owner.name) && ports.includes(port);
}
