import assert from 'node:assert/strict';
import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Service } from './service.ts';

export interface ServiceTrouble {
  readonly service: string;
  /** null: the service is well. */
  readonly trouble: string | null;
}

/**
 * The longest that a drain waits for work in flight. Then everything is stopped as by a crash, and the work is done
 * again by its next owner.
 */
const DRAIN_MS = 25_000;

export interface SupervisorOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly reporter: Reporter;
}

/**
 * Runs the services of a process. Modes: new (services are added) -> starting (in the order of adding; a service that
 * can not start stops the others and fails the start) -> running -> draining (in reverse order: listeners first, so
 * that the services which their requests wait for still work) -> stopped. `stop` leads there from every mode.
 */
export class Supervisor {
  readonly #services: Service[] = [];
  readonly #clock: SupervisorOptions['clock'];
  readonly #reporter: Reporter;
  readonly #started: Service[] = [];
  #mode: 'new' | 'starting' | 'running' | 'draining' | 'stopped' = 'new';
  #drained: Promise<void> | null = null;

  constructor({ clock, reporter }: SupervisorOptions) {
    this.#clock = clock;
    this.#reporter = reporter;
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

  health(): readonly ServiceTrouble[] {
    return this.#services.map((service) => ({
      service: service.name,
      trouble: this.#started.includes(service) ? service.trouble() : 'not started yet',
    }));
  }

  /** Finishes the work in flight, at most for `DRAIN_MS`, then stops. A second call waits for the same end. */
  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  async stop(): Promise<void> {
    if (this.#mode === 'stopped') return;
    this.#mode = 'stopped';
    for (const service of this.#started.toReversed()) await this.#guarded(service, () => service.stop());
  }

  async #drain(): Promise<void> {
    if (this.#mode === 'stopped') return;
    this.#mode = 'draining';
    const { promise: overdue, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(DRAIN_MS, resolve);
    for (const service of this.#started.toReversed())
      await Promise.race([this.#guarded(service, () => service.drain()), overdue]);
    cancel();
    await this.stop();
  }

  async #guarded(service: Service, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#reporter.failure('service-stop-failed', error, { service: service.name });
    }
  }
}
