import type { PublicRequest } from '#ports/public-http.ts';

/** A request of some process, as a host on the internet gets it. */
export interface WebRequest extends Pick<PublicRequest, 'method' | 'url'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The process. */
  readonly by: string;
  /** When the process sent it, and when it came. */
  readonly sentAt: number;
  readonly at: number;
}

/** `down`: nothing listens there. `silent`: the request is taken, and no answer comes. */
export type WebAnswer =
  | { readonly kind: 'down' | 'silent' }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly pieces: readonly Uint8Array[];
      /** Before each piece. */
      readonly pieceAfterMs: number;
      /** The connection ends behind the last piece, though more was to come. */
      readonly breaksOff: boolean;
    };

export interface Site {
  answer(request: WebRequest): WebAnswer;
  /** The process has read the status of the answer, which was not cut on its way. */
  onAnswered?(request: WebRequest): void;
}

/** Hosts on the internet that Members name: receivers of webhooks, and files. */
export class PublicWeb {
  /** By host. */
  readonly #sites = new Map<string, Site>();

  open(host: string, site: Site): void {
    this.#sites.set(host, site);
  }

  at(url: string): Site | null {
    return this.#sites.get(new URL(url).host) ?? null;
  }
}

export function answering(status: number, headers: Readonly<Record<string, string>> = {}, body = ''): WebAnswer {
  const pieces = body === '' ? [] : [Buffer.from(body)];
  return { kind: 'answer', status, headers, pieces, pieceAfterMs: 0, breaksOff: false };
}
