import type { IncomingMessage } from 'node:http';

/** The account that a browser is signed in with. */
export interface SignedIn {
  readonly accountId: string;
  readonly email: string;
  /** SHA-256 of the secret in the cookie: it names the session and does not open it. */
  readonly sessionHash: string;
}

export interface Sessions {
  /** Null: nobody is signed in. Rejects with `PortError` when the store can not tell. */
  current(request: Pick<IncomingMessage, 'headers'>): Promise<SignedIn | null>;
}

/** Where a page sends a browser that nobody is signed in with. `path`: where it was going, on our own address. */
export function signInAddress(publicUrl: string, path: string): string {
  return `${publicUrl}/sign-in?${new URLSearchParams({ return_to: path }).toString()}`;
}
