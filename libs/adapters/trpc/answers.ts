import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { MAX_ANSWERS, type AnswersRouter } from './answers-router.ts';

export interface AnswerHintsOptions {
  /** This process's internal address: answers for it never leave the process. */
  readonly ownUrl: string;
  /** By which the processes of an installation know each other; no token of an operator. */
  readonly internalToken: string;
  readonly hear: (answer: CommandAnswer) => void;
  /**
   * Whether a process of this installation listens at an address; a promise only where that has to be asked. Anybody
   * who can write to a topic can put an address into a command, and a call to it carries `internalToken`.
   */
  readonly standing: (address: string) => Standing | Promise<Standing>;
  readonly clock: Pick<Clock, 'after'>;
  readonly reporter: Reporter;
  /** Default: that of the system. */
  readonly fetch?: (input: string | URL | Request, init?: object) => Promise<Response>;
}

type Standing = 'known' | 'gone' | 'unknown';

export interface AnswerHints {
  /** Passes an answer to the request that waits for it at `replyTo`, soon or never. Never throws. */
  answer(replyTo: string, answer: CommandAnswer): void;
  /** Drops the answers that wait to be sent. */
  stop(): void;
}

/** The most hints kept for one target; further ones are dropped, because it receives them too slowly. */
const MAX_QUEUED = 1_000;
/** The size of one call, so that Posts of the largest kind fit into the largest body that a receiver accepts. */
const MAX_BYTES = 4 * 1024 * 1024;
const DEADLINE_MS = 2_000;

/**
 * Hints answers to the processes that asked. Answers of one turn of the event loop travel together, and at most one
 * call to a target is in flight. Nothing is retried: a target that was unreachable finds the result row by itself.
 */
export function createAnswerHints(options: AnswerHintsOptions): AnswerHints {
  const own = trimmed(options.ownUrl);
  const targets = new Map<string, Target>();
  let stopped = false;
  return {
    answer: (replyTo, answer) => {
      const url = trimmed(replyTo);
      if (url === own) return options.hear(answer);
      if (url === '') return;
      const go = (standing: Standing): void => {
        if (stopped || standing === 'gone') return;
        if (standing === 'unknown') return void options.reporter.report('answer-hint-refused', { target: url });
        const target = targets.get(url) ?? new Target(url, options, () => targets.delete(url));
        targets.set(url, target);
        target.push(answer);
      };
      const standing = options.standing(url);
      if (typeof standing === 'string') go(standing);
      else void standing.then(go);
    },
    stop: () => {
      stopped = true;
      for (const target of targets.values()) target.stop();
      targets.clear();
    },
  };
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

/**
 * The hints for one process. Modes: gathering (until the end of this turn of the event loop) -> sending -> sending the
 * next, until none are left -> idle, which ends this object. A call that fails drops all that waits.
 */
class Target {
  readonly #url: string;
  readonly #options: AnswerHintsOptions;
  readonly #client: TRPCClient<AnswersRouter>;
  readonly #onIdle: () => void;
  readonly #ending = new AbortController();
  #queue: CommandAnswer[] = [];
  #mode: 'new' | 'gathering' | 'sending' | 'ended' = 'new';

  constructor(url: string, options: AnswerHintsOptions, onIdle: () => void) {
    this.#url = url;
    this.#options = options;
    this.#client = createTRPCClient({
      links: [
        httpLink({
          url: `${url}/internal`,
          headers: { authorization: `Bearer ${options.internalToken}` },
          ...(options.fetch !== undefined && { fetch: options.fetch }),
        }),
      ],
    });
    this.#onIdle = onIdle;
  }

  push(answer: CommandAnswer): void {
    if (this.#queue.length >= MAX_QUEUED) return this.#lost(1, 'the queue is full');
    this.#queue.push(answer);
    if (this.#mode !== 'new') return;
    this.#mode = 'gathering';
    setImmediate(() => void this.#sendAll());
  }

  stop(): void {
    this.#mode = 'ended';
    this.#queue = [];
    this.#ending.abort();
  }

  async #sendAll(): Promise<void> {
    if (this.#mode !== 'gathering') return;
    this.#mode = 'sending';
    while (this.#queue.length > 0) {
      const batch = this.#take();
      try {
        await this.#send(batch);
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        this.#lost(batch.length + this.#queue.splice(0).length, error instanceof Error ? error.message : String(error));
      }
    }
    if (this.#ending.signal.aborted) return;
    this.#mode = 'ended';
    this.#onIdle();
  }

  #take(): readonly CommandAnswer[] {
    let bytes = 0;
    let count = 0;
    while (count < Math.min(this.#queue.length, MAX_ANSWERS)) {
      bytes += roughBytes(this.#queue[count]!);
      if (count > 0 && bytes > MAX_BYTES) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  async #send(answers: readonly CommandAnswer[]): Promise<void> {
    const late = new AbortController();
    const cancel = this.#options.clock.after(DEADLINE_MS, () => late.abort());
    try {
      await this.#client.answers.mutate(
        { answers: answers as never },
        { signal: AbortSignal.any([late.signal, this.#ending.signal]) },
      );
    } finally {
      cancel();
    }
  }

  #lost(answers: number, detail: string): void {
    this.#options.reporter.report('answer-hints-lost', { target: this.#url, answers, detail });
  }
}

/** An upper estimate of a Post's JSON: the exact size would cost more than it saves. */
function roughBytes({ post }: CommandAnswer): number {
  return post === undefined ? 1_000 : 2_000 + 3 * post.text.length + 2_000 * post.variants.length;
}
