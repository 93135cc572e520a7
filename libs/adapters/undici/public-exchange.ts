import assert from 'node:assert/strict';
import type { Dispatcher } from 'undici';
import { HttpFailure } from '#ports/http-client.ts';
import { UnsafeAddress, type PublicAnswer, type PublicRequest } from '#ports/public-http.ts';
import { AnswerBody } from './answer-body.ts';
import { wordsOf } from './failure-words.ts';
import type { KeptConnections } from './kept-connections.ts';
import type { PublicPlace } from './public-address.ts';
import { PublicConnection, type Destination } from './public-connection.ts';

/** A server may send interim answers (1xx) before the final one; so many count as a flood. */
const MAX_INTERIM_ANSWERS = 16;
/** Made once: `abort` without a reason makes one with its stack, which costs ten times as much as the abort. */
const OVER = new Error('the exchange is over');

/**
 * One request. Modes: seeking (looking the name up) -> connecting -> asked (bytes may have been sent) -> answered (the
 * body comes) -> over; `over` is reached from each of them and is final. The connection serves only this exchange
 * meanwhile. A connection whose answer was read to its end is kept for another exchange; any other is closed. One timer
 * runs from the first mode to the last.
 */
export class PublicExchange implements Dispatcher.DispatchHandler {
  #mode: 'seeking' | 'connecting' | 'asked' | 'answered' | 'over' = 'seeking';
  #interimAnswers = 0;
  #connection: PublicConnection | null = null;
  #isKeptOne = false;
  #destination: Destination | null = null;
  #body: AnswerBody | null = null;
  readonly #ending = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #request: PublicRequest;
  readonly #place: PublicPlace;
  readonly #connections: KeptConnections;
  readonly #onOver: (exchange: PublicExchange) => void;
  readonly #answer = Promise.withResolvers<PublicAnswer>();
  readonly #onAbort = (): void => this.giveUp('was not waited for');

  constructor(
    request: PublicRequest,
    place: PublicPlace,
    connections: KeptConnections,
    onOver: (exchange: PublicExchange) => void,
  ) {
    this.#request = request;
    this.#place = place;
    this.#connections = connections;
    this.#onOver = onOver;
    this.#timer = setTimeout(
      () => this.giveUp(`did not answer within ${request.timeoutMs / 1000} s`),
      request.timeoutMs,
    );
    request.signal?.addEventListener('abort', this.#onAbort);
  }

  /** The look-up of `seek` is cancelled with the exchange. */
  send(seek: (signal: AbortSignal) => Promise<Destination>): Promise<PublicAnswer> {
    assert(this.#mode === 'seeking');
    if (this.#request.signal?.aborted === true) this.#onAbort();
    else
      seek(this.#ending.signal).then(
        (destination) => this.#mode === 'seeking' && this.#connect(destination),
        (error: Error) =>
          this.#end(
            error instanceof UnsafeAddress ? error : this.#failure('has a name that can not be looked up now', error),
          ),
      );
    return this.#answer.promise;
  }

  giveUp(words: string): void {
    this.#end(this.#failure(words));
  }

  #connect(destination: Destination): void {
    this.#mode = 'connecting';
    this.#destination = destination;
    const kept = this.#connections.take(this.#place, destination);
    this.#isKeptOne = kept !== null;
    this.#ask(kept ?? new PublicConnection(this.#place, destination));
  }

  #ask(connection: PublicConnection): void {
    this.#connection = connection;
    const { method, headers, body } = this.#request;
    connection.dispatch(
      { path: this.#place.path, method, headers: { 'accept-encoding': 'identity', ...headers }, body: body ?? null },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici may put a request whose socket broke back among the waiting ones: it must not be sent a second time.
    if (this.#mode !== 'connecting') throw new Error('an exchange asks once');
    this.#mode = 'asked';
    this.#body = new AnswerBody({
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      left: () => this.#end(null),
    });
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#mode !== 'asked') return;
    if (status < 200) {
      this.#interimAnswers += 1;
      if (this.#interimAnswers > MAX_INTERIM_ANSWERS) this.giveUp('never comes to its answer');
      return;
    }
    this.#mode = 'answered';
    const flat = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value ?? ''].flat().join(', ')]);
    this.#answer.resolve({ status, headers: Object.fromEntries(flat) as Record<string, string>, body: this.#body! });
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#body?.push(piece);
  }

  onResponseEnd(): void {
    this.#body?.end();
    const connection = this.#connection;
    this.#connection = null;
    this.#end(null);
    if (connection !== null) this.#connections.give(connection, this.#place, this.#destination!);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#mode === 'connecting' && this.#isKeptOne) {
      // The kept connection was closed before a byte was written: a new one is made.
      this.#isKeptOne = false;
      this.#connection?.end();
      return this.#ask(new PublicConnection(this.#place, this.#destination!));
    }
    this.#end(this.#failure(wordsOf(error), error));
  }

  #failure(words: string, cause?: Error): HttpFailure {
    const isSent = this.#mode === 'asked' || this.#mode === 'answered';
    return new HttpFailure(`${this.#place.host} ${words}`, isSent, cause === undefined ? undefined : { cause });
  }

  #end(failure: Error | null): void {
    if (this.#mode === 'over') return;
    this.#mode = 'over';
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#ending.abort(OVER);
    if (failure !== null) {
      this.#answer.reject(failure);
      this.#body?.fail(failure);
    }
    this.#connection?.end();
    this.#onOver(this);
  }
}
