import { HttpFailure } from '#ports/http-client.ts';
import type { PublicHttp, PublicRequest } from '#ports/public-http.ts';
import type { Owner, SimulationEngine } from '../engine.ts';
import type { FaultPlan } from '../faults.ts';
import type { PublicWeb, WebAnswer, WebRequest } from './public-web.ts';

export interface ProcessWebOptions {
  readonly engine: SimulationEngine;
  readonly owner: Owner;
  readonly web: PublicWeb;
  readonly faults: () => FaultPlan['request'];
  /** The owner is about to make a request, or has its answer. */
  readonly onBoundary: () => void;
}

/**
 * One process's access to the internet. A request that was sent arrives, whatever happens to its sender meanwhile; its
 * answer may be slow, or cut. Time-outs and signals end an exchange for its sender only.
 */
export function createProcessWeb(options: ProcessWebOptions): PublicHttp {
  return { send: async (request) => new Exchange(options, request).run() };
}

class Exchange {
  readonly #options: ProcessWebOptions;
  readonly #request: PublicRequest;
  readonly #label: string;
  readonly #sentAt: number;

  constructor(options: ProcessWebOptions, request: PublicRequest) {
    this.#options = options;
    this.#request = request;
    this.#label = `${options.owner.name} ${request.method} ${new URL(request.url).host}`;
    this.#sentAt = options.engine.elapsed;
  }

  async run() {
    const { engine, owner, web, faults, onBoundary } = this.#options;
    const { method, url, headers = {}, body = new Uint8Array(), signal } = this.#request;
    if (signal?.aborted === true) throw new HttpFailure('the request was given up', false);
    onBoundary();
    const sentAt = engine.now;
    await this.#pass(this.#label, this.#travelMs(), 'yes');
    const site = web.at(url);
    const request: WebRequest = { method, url, headers, body, by: owner.name, sentAt, at: engine.now };
    const answer: WebAnswer = site?.answer(request) ?? { kind: 'down' };
    if (answer.kind === 'down') throw new HttpFailure(`${new URL(url).host} does not answer`, false);
    if (answer.kind === 'silent' || engine.chance(faults().cut)) await this.#timeOut(answer.kind === 'silent');
    await this.#pass(`${this.#label} answers`, this.#travelMs());
    onBoundary();
    if (answer.kind !== 'answer') throw new Error('a silent host has timed out by now');
    site?.onAnswered?.(request);
    return { status: answer.status, headers: answer.headers, body: this.#read(answer) };
  }

  async *#read(answer: Extract<WebAnswer, { kind: 'answer' }>): AsyncGenerator<Uint8Array> {
    for (const piece of answer.pieces) {
      if (answer.pieceAfterMs > 0) await this.#pass(`${this.#label} sends`, answer.pieceAfterMs);
      yield piece;
    }
    if (answer.breaksOff) throw new HttpFailure('the connection was cut', true);
  }

  /** The answer does not come: at once where the connection is cut, else when the sender gives up. */
  async #timeOut(waits: boolean): Promise<never> {
    await this.#pass(`${this.#label} has no answer`, waits ? this.#leftMs() : this.#travelMs());
    throw new HttpFailure(waits ? 'no answer came in time' : 'the connection was cut', true);
  }

  #travelMs(): number {
    const { engine, faults } = this.#options;
    const travelMs = engine.chance(faults().slow) ? engine.between(0, this.#request.timeoutMs) : engine.latencyMs();
    return Math.min(travelMs, this.#leftMs());
  }

  #leftMs(): number {
    return Math.max(0, this.#sentAt + this.#request.timeoutMs - this.#options.engine.elapsed);
  }

  /** Rejects when the signal is aborted, or at the end of the request's time. */
  async #pass(label: string, delayMs: number, sent: 'yes' | 'no' = 'no'): Promise<void> {
    const { engine, owner } = this.#options;
    const { signal } = this.#request;
    const leftMs = this.#leftMs();
    const { promise: over, reject } = Promise.withResolvers<never>();
    const giveUp = (): void => reject(new HttpFailure('the request was given up', true));
    signal?.addEventListener('abort', giveUp);
    try {
      await Promise.race([engine.pass({ label, owner, delayMs: Math.min(delayMs, leftMs), sent }), over]);
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
    if (delayMs > leftMs) throw new HttpFailure('no answer came in time', true);
  }
}
