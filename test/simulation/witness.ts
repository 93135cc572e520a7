import type { Network } from '#domain/network.ts';
import type { Message } from '#messages/messages.ts';
import type { HoldScope } from '#domain/publishing-holds.ts';
import type { Result } from '#domain/workspace/results.ts';
import type { Facts } from '#reporting/fact.ts';

export type IncidentKind = 'crash' | 'pause' | 'stall' | 'trouble';

/** An answer of a Network, as it came to a process. */
export interface WireAnswer {
  readonly network: string;
  readonly path: string;
  /** Whose token was sent, that of a refresh included; null: none that was ever issued. */
  readonly accountId: string | null;
  readonly by: string;
  readonly at: number;
  /** HTTP status; 0: it was cut, or never came. */
  readonly status: number;
  /** A 4XX or 5XX, a cut, or an answer that says that what was sent came to nothing. */
  readonly isBad: boolean;
}

/** A call of an adapter, which makes some requests to its Network. */
export interface NetworkCall {
  readonly kind: 'prepare' | 'publish' | 'reconcile';
  readonly network: Network;
  readonly accountId: string;
  readonly text: string;
  readonly by: string;
  readonly at: number;
  /** Of the call that is asked about, by the clock of who made it; null: this one asks about none. */
  readonly armedAt: number | null;
  readonly answers: WireAnswer[];
  /** What the adapter made of the answers; null: its process ended meanwhile. */
  came: string | null;
  /** Null as long as it was not answered. */
  endedAt: number | null;
}

/** The faults of processes, and those of their actions that no table shows afterwards. */
export class Witness {
  readonly incidents: { readonly process: string; readonly kind: IncidentKind; readonly at: number }[] = [];
  /** Every state of a shard's row, in order; `now`: by the clock of the writer, when it may have decided so. */
  readonly watermarks: {
    readonly shard: number;
    readonly minute: number;
    /** From where on it is said to be doubtful; null: nowhere. */
    readonly doubted: number | null;
    /** Grows with every claim. */
    readonly epoch: number;
    readonly by: string;
    readonly at: number;
    readonly now: number;
  }[] = [];
  /** Every far leap of a process's clock; another fault may keep it from being put right for as long as its act. */
  readonly leads: { readonly by: string; readonly from: number; readonly ms: number }[] = [];
  /** Every change of a Variant's row in the ledger. */
  readonly arms: {
    readonly variantId: string;
    readonly stage: string;
    /** Of the write that last armed it. */
    readonly armToken: string;
    /** By the row: so long after it was armed, its call has to be on its way. */
    readonly sendWithinMs: number;
    readonly by: string;
    readonly at: number;
  }[] = [];
  /** Deliveries that were made, or made again, and are not known to have come to an end. */
  readonly deliveries = new Set<string>();
  /** Every irreversible call, when it was made. */
  readonly sends: {
    readonly network: Network;
    readonly accountId: string;
    readonly by: string;
    readonly at: number;
  }[] = [];
  /** Every call of an adapter that publishes Variants. */
  readonly calls: NetworkCall[] = [];
  /** Every answer of a Network, to whatever was asked. */
  readonly answers: WireAnswer[] = [];
  /** When evidence that a Variant is live was there for the first time, by Variant. */
  readonly proofs = new Map<string, number>();
  /** The results of commands by their requests, when they were written first. */
  readonly decided = new Map<string, { readonly result: Result; readonly by: string; readonly at: number }>();
  /** When the faults began and ended; `until` null: not before the faults of the act end. */
  readonly disturbances: { readonly what: string; readonly from: number; until: number | null }[] = [];
  /** Every hold, from when it was acknowledged until its release began; null: it was never released. */
  readonly holds: (HoldScope & { readonly from: number; until: number | null })[] = [];
  /** Errors that no port is allowed to give. */
  readonly defects: {
    readonly process: string;
    readonly event: string;
    readonly error: string;
    readonly at: number;
  }[] = [];
  /** Reports by event, for the summary. */
  readonly counts = new Map<string, number>();
  /** What the log acknowledged and lost, and what lost timers carried. */
  readonly gone: { readonly message: Message; readonly value: Uint8Array }[] = [];
  /** The largest lead of a clock that decides when something is due. */
  mostAheadMs = 0;
  /** Whether the clocks of schedulers leapt. */
  leapt = false;

  disturb(what: string, from: number, until: number | null): void {
    this.disturbances.push({ what, from, until });
  }

  /** The faults of the act end, and with them those that had no end of their own. */
  calm(at: number): void {
    for (const each of this.disturbances) if (each.until === null || each.until > at) each.until = at;
  }

  /** Whether a message was lost that names it: a Post, a delivery, an asset. */
  hasLost(id: string): boolean {
    return this.gone.some(({ message }) => named(message).includes(id));
  }

  count(event: string, by = 1): void {
    this.counts.set(event, (this.counts.get(event) ?? 0) + by);
  }
}

/** What a message is about. */
function named(message: Message): readonly string[] {
  if (message.type === 'VariantsDue') return message.posts.map(({ postId }) => postId);
  const { postId, deliveryId, assetId, assetIds, variantId } = message as {
    readonly postId?: string;
    readonly deliveryId?: string;
    readonly assetId?: string;
    readonly assetIds?: readonly string[];
    readonly variantId?: string;
  };
  return [postId, deliveryId, assetId, ...(assetIds ?? []), variantId].filter((id) => id !== undefined);
}

export interface TraceLine {
  readonly at: number;
  readonly who: string;
  readonly what: string;
}

/** A readable record of a run, kept only when it will be printed. */
export class Trace {
  readonly #lines: TraceLine[] | null;

  constructor(kept: boolean) {
    this.#lines = kept ? [] : null;
  }

  get kept(): boolean {
    return this.#lines !== null;
  }

  add(at: number, who: string, what: string, facts?: Facts): void {
    this.#lines?.push({ at, who, what: facts === undefined ? what : `${what} ${JSON.stringify(facts)}` });
  }

  about(words: readonly string[]): readonly string[] {
    return this.linesAbout(words).map(
      ({ at, who, what }) => `${new Date(at).toISOString().slice(11, 23)} ${who.padEnd(14)} ${what}`,
    );
  }

  /**
   * Lines that name any of `words`, and the faults of the processes that wrote them; all lines when there are no words.
   */
  linesAbout(words: readonly string[]): readonly TraceLine[] {
    const lines = this.#lines ?? [];
    const named = lines.filter(({ what }) => words.length === 0 || words.some((word) => what.includes(word)));
    const namedLines = new Set(named);
    const actors = new Set(named.map(({ who }) => who));
    const fate = ({ who, what }: TraceLine): boolean =>
      who === 'nemesis' && (!/[a-z]+-\d\.\d/.test(what) || [...actors].some((actor) => what.includes(actor)));
    return words.length === 0 ? lines : lines.filter((line) => namedLines.has(line) || fate(line));
  }
}
