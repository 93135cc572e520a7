import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveChange } from '#services/app/live/live-change.ts';
import type { TestBrowser } from '#testing/test-browser.ts';
import { ChangeBatches } from '../../clients/app/live/change-batches.ts';

export interface LiveTabOptions {
  /** Of the process that serves it. */
  readonly url: string;
  readonly signedIn: TestBrowser;
  readonly workspaceId: string;
  /** Called when the tab has what it shows of a Post; Unix ms. */
  readonly onShown: (postId: string, at: number) => void;
}

/**
 * A tab without a browser: it listens to the events of a Workspace, collects them as the app does and by its code, and
 * reads the cards of what changed. What is left out is the drawing.
 */
export class LiveTab {
  readonly #options: LiveTabOptions;
  readonly #closed = new AbortController();
  readonly #batches: ChangeBatches;
  /** Reads that named no Posts; with them a measurement would be of another thing. */
  wholeReads = 0;

  private constructor(options: LiveTabOptions) {
    this.#options = options;
    this.#batches = new ChangeBatches({
      read: ({ postIds, all }) => {
        if (all) this.wholeReads += 1;
        return this.#read(postIds);
      },
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    });
  }

  /** Resolves when the server has begun to tell it of changes. */
  static async open(options: LiveTabOptions): Promise<LiveTab> {
    const tab = new LiveTab(options);
    const response = await tab.#get('events', {}, 'text/event-stream');
    if (response.status !== 200) throw new Error(`events answered ${response.status}: ${await response.text()}`);
    void tab.#hear(response).catch((error: unknown) => {
      if (!tab.#closed.signal.aborted) throw error;
    });
    return tab;
  }

  close(): void {
    this.#closed.abort();
    this.#batches.stop();
  }

  async #hear({ body }: Response): Promise<void> {
    let text = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      const events = (text + chunk).split('\n\n');
      text = events.pop()!;
      for (const event of events) {
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (data !== undefined && !/^event: /m.test(event)) this.#batches.add(JSON.parse(data) as LiveChange);
      }
    }
  }

  async #read(postIds: readonly string[]): Promise<void> {
    if (postIds.length === 0) return;
    const answer = await this.#get('posts.cards', { postIds }, 'application/json');
    const { result } = (await answer.json()) as { readonly result: { readonly data: readonly { id: string }[] } };
    const at = performance.timeOrigin + performance.now();
    for (const { id } of result.data) this.#options.onShown(id, at);
  }

  #get(procedure: string, fields: object, accept: string): Promise<Response> {
    const { url, signedIn, workspaceId } = this.#options;
    const input = encodeURIComponent(JSON.stringify({ workspaceId, ...fields }));
    return fetch(`${url}/app/trpc/${procedure}?input=${input}`, {
      headers: { cookie: signedIn.cookieHeader, accept, 'x-crier-app': '1' },
      signal: this.#closed.signal,
    });
  }
}

/** Resolves after `ms`, or when the condition holds. */
export async function whenOrAfter(condition: () => boolean, ms: number): Promise<void> {
  for (const until = performance.now() + ms; performance.now() < until && !condition();) await sleep(25);
}
