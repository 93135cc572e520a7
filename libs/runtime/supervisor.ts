import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#ports/reporter.ts';
import type { Service } from './service.ts';

export interface ServiceTrouble {
  readonly service: string;
  /** null: well. */
  readonly trouble: string | null;
}

/** Longest a process waits for what is in flight; then it lets go, as a crash would, which nothing is lost by. */
const DRAIN_MS = 25_000;

/**
 * Runs services. new -> starting (in order; one that can't start stops the others and the start) -> running -> draining
 * (in reverse order: front doors first, so that what they wait for is still there) -> stopped.
 */
export class Supervisor {
  readonly #services: readonly Service[];
  readonly #clock: Clock;
  readonly #reporter: Reporter;
  readonly #started: Service[] = [];
  #mode: 'new' | 'starting' | 'running' | 'draining' | 'stopped' = 'new';
  #drained: Promise<void> | null = null;

  constructor(services: readonly Service[], parts: { readonly clock: Clock; readonly reporter: Reporter }) {
    this.#services = services;
    this.#clock = parts.clock;
    this.#reporter = parts.reporter;
  }

  get running(): boolean {
    return this.#mode === 'running';
  }

  async start(): Promise<void> {
    if (this.#mode !== 'new') throw new Error('the supervisor was started before');
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

  /** Ends what is in flight, then stops. Calling it again waits for the same end. */
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
      this.#reporter.failure('service-end-failed', error, { service: service.name });
    }
  }
}
