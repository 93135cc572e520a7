/** What the attacker of a row does, which it reads as JSON from its standard input; it goes on until that ends. */
export type AttackJob =
  /** Requests in turn with every key. `{n}` in a path or a body is another number each time. */
  | {
      readonly kind: 'requests';
      readonly url: string;
      readonly keys: readonly string[];
      readonly aSecond: number;
      readonly path: string;
      readonly method: 'GET' | 'POST';
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Files that are sent as slowly as is borne, so many at once. */
  | { readonly kind: 'slow uploads'; readonly url: string; readonly keys: readonly string[]; readonly atOnce: number }
  /** Large bodies of requests that are sent as slowly as is borne, so many at once. */
  | {
      readonly kind: 'slow bodies';
      readonly url: string;
      readonly keys: readonly string[];
      readonly path: string;
      readonly atOnce: number;
    }
  /** Connections that ask for a file and read nothing of it, spread over so many addresses of clients. */
  | { readonly kind: 'slow readers'; readonly file: string; readonly atOnce: number; readonly clients: number }
  /**
   * Links to sign in, each for an address of its own. A client asks for as many as one may, and then the next one does,
   * of a range that no attack asked from before.
   */
  | { readonly kind: 'links'; readonly url: string; readonly aSecond: number; readonly linksAClient: number }
  /** A file that is uploaded and completed, so many at once; with Channels, each is put into a Post that waits. */
  | {
      readonly kind: 'files';
      readonly url: string;
      readonly keys: readonly string[];
      readonly atOnce: number;
      readonly path: string;
      readonly contentType: string;
      readonly channelIds: readonly string[];
    }
  /**
   * An attack that does nothing to the server: one request a second with each key for a page that costs it nothing,
   * and as much of a processor as the attacker of a true attack took.
   */
  | {
      readonly kind: 'nothing';
      readonly url: string;
      readonly keys: readonly string[];
      readonly path: string;
      readonly processorPart: number;
    };

/** What came of it, as the attacker prints it at its end. */
export interface AttackResult {
  /** Answers by status, and `lost` for none. */
  readonly answers: Readonly<Record<string, number>>;
  /** Of one processor, which the attacker took from the machine that the server is on. */
  readonly processorPart: number;
}
