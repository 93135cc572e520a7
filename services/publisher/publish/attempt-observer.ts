import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { Network } from '#domain/network.ts';
import { postIdOfVariant } from '#domain/post/ids.ts';
import { traceIdOf } from '#domain/traceparent.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { WorldPorts } from '#ports/ports.ts';
import { NO_TRACER, type Tracer } from '#ports/tracer.ts';
import type { AttemptJob } from './attempt.ts';
import { inRunSpan, tracedClient } from './attempt-spans.ts';
import type { CallMoment, CallKind, RunObserver } from './machine-options.ts';
import type { Obstacle } from './throttle.ts';

export interface ObserverOptions extends Pick<WorldPorts, 'http' | 'clock' | 'reporter'> {
  readonly tracer?: Tracer;
  readonly network: Network;
}

const MAX_BEGUN = 10_000;

/** Tells of the attempts at one Network what operators measure. It changes nothing about them. */
export class AttemptObserver implements RunObserver<AttemptJob> {
  readonly #options: ObserverOptions;
  readonly #clients: Readonly<Record<CallKind, HttpClient>>;
  /** By ledger id and attempt: when this process made the first call, by the monotonic clock. */
  readonly #begun = createBoundedMap<string, number>(MAX_BEGUN);
  #running = 0;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#clients = {
      prepare: measured('prepare', options),
      publish: measured('publish', options),
      reconcile: measured('reconcile', options),
    };
  }

  /** Attempts that are worked on now. */
  get running(): number {
    return this.#running;
  }

  /** `work` gets the job as its run has it. */
  async watch<Job extends AttemptJob>(job: Job, work: (job: Job) => Promise<void>): Promise<void> {
    const { tracer = NO_TRACER } = this.#options;
    this.#running++;
    try {
      await (tracer.isOn ? inRunSpan(tracer, job, work) : work(job));
    } finally {
      this.#running--;
    }
  }

  httpFor(kind: CallKind, job: AttemptJob): HttpClient {
    const { tracer = NO_TRACER } = this.#options;
    return tracer.isOn ? tracedClient(this.#clients[kind], tracer, { kind, job }) : this.#clients[kind];
  }

  calling(job: AttemptJob, { kind, scheduledAt, isUntouched, heldMs }: CallMoment): void {
    const { clock, reporter } = this.#options;
    const key = keyOf(job);
    if (kind === 'reconcile' || this.#begun.has(key)) return;
    this.#begun.set(key, clock.monotonic());
    // What another process had begun is late by what that one reported.
    if (!isUntouched) return;
    const isFirstOfSchedule = scheduledAt !== null && job.attempt === 1;
    reporter.report('attempt-begun', {
      ...factsOf(job),
      // What an operator held is not late.
      latenessMs: isFirstOfSchedule ? Math.max(0, clock.now() - scheduledAt - heldMs) : null,
    });
  }

  heldBack(job: AttemptJob, { why, forMs }: Obstacle): void {
    this.#options.reporter.report('attempt-held-back', { ...factsOf(job), why, waitMs: forMs });
  }

  /** Null: another process made its first call, or no call was made. */
  endedAfterMs(job: AttemptJob): number | null {
    const begun = this.#begun.get(keyOf(job));
    this.#begun.delete(keyOf(job));
    return begun === undefined ? null : this.#options.clock.monotonic() - begun;
  }
}

export function factsOf({
  network,
  workspaceId,
  variantId,
  attempt,
  runTrace,
}: Pick<AttemptJob, 'network' | 'workspaceId' | 'variantId' | 'attempt' | 'runTrace'>) {
  const traceId = traceIdOf(runTrace);
  return { network, workspaceId, postId: postIdOfVariant(variantId), variantId, attempt, traceId };
}

function keyOf({ ledgerId, attempt }: AttemptJob): string {
  return `${ledgerId} ${attempt}`;
}

const CLASSES = { 2: '2xx', 3: '3xx', 4: '4xx', 5: '5xx' } as const;

function measured(operation: CallKind, { network, http, clock, reporter }: ObserverOptions): HttpClient {
  return {
    send: async (request) => {
      const begun = clock.monotonic();
      let statusClass: (typeof CLASSES)[keyof typeof CLASSES] | 'none' = 'none';
      try {
        const answer = await http.send(request);
        statusClass = CLASSES[Math.floor(answer.status / 100) as keyof typeof CLASSES] ?? 'none';
        return answer;
      } finally {
        const durationMs = clock.monotonic() - begun;
        reporter.report('network-request-ended', { network, operation, statusClass, durationMs });
      }
    },
  };
}
