import { answering, type PublicWeb, type Site, type WebAnswer, type WebRequest } from './public-web.ts';

/** How a receiver of webhooks behaves for a while. */
export const MOODS = ['well', 'failing', 'busy', 'redirecting', 'hanging', 'down'] as const;
export type Mood = (typeof MOODS)[number];

/** What came to a receiver. */
export interface ReceivedEvent {
  readonly url: string;
  /** As its headers say. */
  readonly eventId: string;
  readonly signature: string;
  readonly body: string;
  readonly by: string;
  readonly sentAt: number;
  readonly at: number;
  /** Null: it hung. */
  readonly status: number | null;
  /** Seconds. */
  readonly retryAfter: number | null;
  /** The sender got the status. */
  wasAnswered: boolean;
}

export interface Broken {
  readonly mood: Exclude<Mood, 'well'>;
  /** Seconds that it asks for when it is busy. */
  readonly retryAfter: number;
  readonly until: number;
}

const STATUS: Readonly<Record<Exclude<Mood, 'hanging' | 'down'>, number>> = {
  well: 204,
  failing: 500,
  busy: 503,
  redirecting: 302,
};

/** The program behind one endpoint's address. */
export class Receiver implements Site {
  readonly url: string;
  readonly events: ReceivedEvent[] = [];
  readonly #byRequest = new Map<WebRequest, ReceivedEvent>();
  #broken: Broken | null = null;

  constructor(url: string) {
    this.url = url;
  }

  /** When it is well again; null: it is well. */
  brokenUntil(now: number): number | null {
    return this.#broken !== null && this.#broken.until > now ? this.#broken.until : null;
  }

  break(broken: Broken): void {
    this.#broken = broken;
  }

  answer(request: WebRequest): WebAnswer {
    const { headers, body, by, sentAt, at } = request;
    const mood = this.brokenUntil(at) === null ? 'well' : this.#broken!.mood;
    // Asked before it is registered, a receiver that redirects would be refused.
    if (request.method === 'HEAD') return answering(200);
    if (mood === 'down') return { kind: 'down' };
    const status = mood === 'hanging' ? null : STATUS[mood];
    const retryAfter = mood === 'busy' ? this.#broken!.retryAfter : null;
    const event: ReceivedEvent = {
      url: request.url,
      eventId: headers['Service-Event-Id'] ?? '',
      signature: headers['Service-Signature'] ?? '',
      body: Buffer.from(body).toString('utf8'),
      ...{ by, sentAt, at, status, retryAfter },
      wasAnswered: false,
    };
    this.events.push(event);
    this.#byRequest.set(request, event);
    if (status === null) return { kind: 'silent' };
    return answering(status, {
      ...(retryAfter !== null && { 'retry-after': String(retryAfter) }),
      ...(status === 302 && { location: 'https://elsewhere.test/' }),
    });
  }

  onAnswered(request: WebRequest): void {
    const event = this.#byRequest.get(request);
    if (event !== undefined) event.wasAnswered = true;
  }
}

/** All receivers of a world. */
export class Receivers {
  readonly #web: PublicWeb;
  readonly #byUrl = new Map<string, Receiver>();

  constructor(web: PublicWeb) {
    this.#web = web;
  }

  /** A receiver that was never registered before: its address tells whose it is. */
  open(): Receiver {
    const host = `receiver-${this.#byUrl.size + 1}.test`;
    const receiver = new Receiver(`https://${host}/events`);
    this.#byUrl.set(receiver.url, receiver);
    this.#web.open(host, receiver);
    return receiver;
  }

  get all(): readonly Receiver[] {
    return [...this.#byUrl.values()];
  }

  at(url: string): Receiver | null {
    return this.#byUrl.get(url) ?? null;
  }
}
