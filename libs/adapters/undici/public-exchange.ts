import assert from 'node:assert/strict';
import { isIPv6, type Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { HttpFailure } from '#ports/http-client.ts';
import { UnsafeAddress, type PublicAnswer, type PublicRequest } from '#ports/public-http.ts';
import { AnswerBody } from './answer-body.ts';
import { wordsOf } from './failure-words.ts';
import type { PublicPlace } from './public-address.ts';

/** Where a name leads: checked addresses of its own, or the one place that an operator gave it. */
export interface Destination {
  readonly addresses: readonly string[];
  readonly port: number;
  /** PEM: the only authority that counts here; left out: those of the machine. */
  readonly ca?: string;
}

const MOST_HEADER_BYTES = 16 * 1024;
/** A server may say "wait" (1xx) before it answers; this often is a flood. */
const MOST_INTERIM_ANSWERS = 16;

/**
 * One request on its way. Modes: seeking (where the name leads) -> connecting -> asked (bytes may have left) -> answered (the body comes) -> over;
 * `over` is reached from each of them and is for good. The connection serves this exchange alone and ends with it, so that no later one can
 * go where only this one was allowed to. One timer runs from the first mode to the last.
 */
export class PublicExchange implements Dispatcher.DispatchHandler {
  #mode: 'seeking' | 'connecting' | 'asked' | 'answered' | 'over' = 'seeking';
  #interimAnswers = 0;
  #client: Client | null = null;
  #socket: Socket | null = null;
  #body: AnswerBody | null = null;
  readonly #ending = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #request: PublicRequest;
  readonly #place: PublicPlace;
  readonly #onOver: (exchange: PublicExchange) => void;
  readonly #answer = Promise.withResolvers<PublicAnswer>();
  readonly #onAbort = (): void => this.giveUp('was not waited for');

  constructor(request: PublicRequest, place: PublicPlace, onOver: (exchange: PublicExchange) => void) {
    this.#request = request;
    this.#place = place;
    this.#onOver = onOver;
    this.#timer = setTimeout(() => this.giveUp(`did not answer within ${request.timeoutMs / 1000} s`), request.timeoutMs);
    request.signal?.addEventListener('abort', this.#onAbort);
  }

  /** `seek` is given up with the exchange. */
  send(seek: (signal: AbortSignal) => Promise<Destination>): Promise<PublicAnswer> {
    assert(this.#mode === 'seeking');
    if (this.#request.signal?.aborted === true) this.#onAbort();
    else seek(this.#ending.signal).then(
      (destination) => this.#mode === 'seeking' && this.#connect(destination),
      (error: Error) => this.#end(error instanceof UnsafeAddress ? error : this.#failure('has a name that can not be looked up now', error)),
    );
    return this.#answer.promise;
  }

  giveUp(words: string): void {
    this.#end(this.#failure(words));
  }

  #connect({ addresses, port, ca }: Destination): void {
    this.#mode = 'connecting';
    const checked = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    const connector = buildConnector({
      allowH2: false,
      // A resumed session skips the check of the certificate's name.
      maxCachedSessions: 0,
      // The exchange's own timer is the only one.
      timeout: 0,
      autoSelectFamily: true,
      // The one look-up was made before: the addresses that were checked are those that are connected to.
      lookup: (_name, { all }, tell) => (all === true ? tell(null, checked) : tell(null, checked[0]!.address, checked[0]!.family)),
      ...(ca === undefined ? {} : { ca }),
    });
    const { origin, path, host, isLiteral } = this.#place;
    this.#client = new Client(origin, {
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: MOST_HEADER_BYTES,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, tell) => {
        assert(this.#socket === null, 'one exchange connects once');
        const socket = connector({ ...options, hostname: host, port: String(port), ...(isLiteral ? {} : { servername: host }) }, tell);
        this.#socket = socket as unknown as Socket;
        return socket;
      },
    });
    const { method, headers, body } = this.#request;
    // `reset` asks the server to close, too.
    this.#client.dispatch({ path, method, headers: { 'accept-encoding': 'identity', ...headers }, body: body ?? null, reset: true }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici may put a request whose socket died back among the waiting ones: never a second time.
    if (this.#mode !== 'connecting') throw new Error('an exchange asks once');
    this.#mode = 'asked';
    this.#body = new AnswerBody({ pause: () => controller.pause(), resume: () => controller.resume(), left: () => this.#end(null) });
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (this.#mode !== 'asked') return;
    if (status < 200) {
      this.#interimAnswers += 1;
      if (this.#interimAnswers > MOST_INTERIM_ANSWERS) this.giveUp('never comes to its answer');
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
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
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
    this.#ending.abort();
    if (failure !== null) {
      this.#answer.reject(failure);
      this.#body?.fail(failure);
    }
    // A client that is still connecting leaves its socket to the system's own time-out, minutes away.
    this.#socket?.destroy();
    this.#client?.destroy().catch(() => {});
    this.#onOver(this);
  }
}
