/** A letter to one address, in two forms of the same content. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** A whole document. */
  readonly html: string;
}

/**
 * Hands mail to a server that delivers it. `send` resolves when the server has taken the mail, and rejects with
 * `PortError`: `unavailable` when it certainly has not, `unknown` when it may have, `refused` when it never will.
 */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}
