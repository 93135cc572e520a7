import assert from 'node:assert/strict';
import { settledWithin } from '#concurrency/deadline.ts';
import type { Clock } from '#ports/clock.ts';
import type { GroupMembership } from '#ports/log.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Service } from './service.ts';

export interface ServiceState {
  readonly service: string;
  /** null: the service is well. */
  readonly trouble: string | null;
  /** Of a reader of the log that has begun to read; null: of any other service. */
  readonly membership: GroupMembership | null;
}

export interface SupervisorOptions {
  readonly clock: Pick<Clock, 'after' | 'sleep'>;
  readonly reporter: Reporter;
  /**
   * How long a process that was asked to end serves on, and says that it is not ready: proxies go on sending to it
   * until they have looked. 0 when left out.
   */
  readonly drainDelayMs?: number;
  /**
   * The longest that a drain waits for work in flight. Then everything is stopped as by a crash, and the work is done
   * again by its next owner. 25 s when left out.
   */
  readonly drainMs?: number;
}

const DRAIN_MS = 25_000;

/** How long services may take to stop, once the drain is over: a process that was asked to end ends at a known time. */
const STOP_MS = 3_000;

/**
 * Runs the services of a process. Modes: new (services are added) -> starting (in the order of adding; a service that
 * can not start stops the others and fails the start) -> running -> leaving (serves on, not ready) -> draining (in
 * reverse order: listeners first, so that the services which their requests wait for still work; readers of the log
 * together, because leaving a group takes seconds while it rebalances, and a process has many) -> stopped. `stop` leads
 * there from every mode, within three seconds.
 */
export class Supervisor {
  readonly #services: Service[] = [];
  readonly #options: SupervisorOptions;
  readonly #started: Service[] = [];
  #mode: 'new' | 'starting' | 'running' | 'leaving' | 'draining' | 'stopped' = 'new';
  #drained: Promise<void> | null = null;
  readonly #stopping = new AbortController();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Adds services, before `start`. */
  add(services: readonly Service[]): void {
    assert(this.#mode === 'new', `services are added while ${this.#mode}`);
    this.#services.push(...services);
  }

  get running(): boolean {
    return this.#mode === 'running';
  }

  async start(): Promise<void> {
    assert(this.#mode === 'new', `start while ${this.#mode}`);
    this.#mode = 'starting';
    for (const service of this.#services) {
      if (this.#mode !== 'starting') return;
      try {
        this.#started.push(service);
        await service.start();
      } catch (error) {
        await this.stop();
        throw error;
      }
    }
    if (this.#mode === 'starting') this.#mode = 'running';
  }

  health(): readonly ServiceState[] {
    return this.#services.map((service) => ({
      service: service.name,
      trouble: this.#started.includes(service) ? service.trouble() : 'not started yet',
      membership: service.membership?.() ?? null,
    }));
  }

  /** Serves on for the delay, finishes the work in flight, then stops. A second call waits for the same end. */
  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  async stop(): Promise<void> {
    if (this.#mode === 'stopped') return;
    this.#mode = 'stopped';
    this.#stopping.abort();
    await settledWithin(
      this.#options.clock,
      STOP_MS,
      this.#inStages((service) => service.stop()),
    );
  }

  async #drain(): Promise<void> {
    const { clock, drainDelayMs = 0, drainMs = DRAIN_MS } = this.#options;
    if (this.#mode === 'running' && drainDelayMs > 0) {
      this.#mode = 'leaving';
      for (const service of this.#started) service.leave?.();
      await clock.sleep(drainDelayMs, this.#stopping.signal);
    }
    // `stop` may have been called during the delay.
    if (this.#stopping.signal.aborted) return;
    this.#mode = 'draining';
    const { promise: overdue, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(drainMs, resolve);
    // A drain that is overdue goes no further: what it did not reach is stopped.
    await Promise.race([
      this.#inStages(async (service) => (this.#mode === 'draining' ? service.drain() : undefined)),
      overdue,
    ]);
    cancel();
    await this.stop();
  }

  /** From the last service that was started to the first, readers of the log that follow each other together. */
  async #inStages(work: (service: Service) => Promise<void>): Promise<void> {
    const stages: Service[][] = [];
    for (const service of this.#started.toReversed()) {
      const stage = stages.at(-1);
      if (stage !== undefined && isReader(service) && isReader(stage[0]!)) stage.push(service);
      else stages.push([service]);
    }
    for (const stage of stages) await Promise.all(stage.map((service) => this.#guarded(service, () => work(service))));
  }

  async #guarded(service: Service, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.reporter.failure('service-stop-failed', error, { service: service.name });
    }
  }
}

function isReader(service: Service): boolean {
  return service.membership !== undefined;
}
