import { hash } from 'node:crypto';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import {
  findSignInLink,
  writeSignInLink,
  type SignInLink,
  type StoredSignInLink,
} from '#tables/repositories/sign-in-links.ts';

export type NewLink = Pick<SignInLink, 'email' | 'purpose' | 'browserHash' | 'returnPath' | 'expiresAt' | 'invitation'>;

/** What a link is to the browser that opens it. */
export type LinkState =
  | { readonly kind: 'open'; readonly link: StoredSignInLink }
  /** `used`: it may be open after all, should its use have led to no session. */
  | { readonly kind: 'used'; readonly link: StoredSignInLink }
  | { readonly kind: 'expired' }
  | { readonly kind: 'unknown' };

export interface SignInLinksOptions {
  readonly store: TableStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'token'>;
  /** The address of the installation, without a slash at the end. */
  readonly publicUrl: string;
}

export const LINK_PATH = '/sign-in/links';
const TOKEN = /^[\w-]{43}$/;

/** Links that sign in whoever opens them. All calls reject with `PortError`. */
export class SignInLinks {
  readonly #options: SignInLinksOptions;

  constructor(options: SignInLinksOptions) {
    this.#options = options;
  }

  /** Makes a link; resolves with its address, which is kept nowhere. */
  async make(link: NewLink): Promise<string> {
    const { store, clock, ids, publicUrl } = this.#options;
    const token = ids.token(32);
    const next: SignInLink = { ...link, usedFor: null };
    await writeSignInLink(store, hashOf(token), { over: null, next, token: ids.token(), now: clock.now() });
    return `${publicUrl}${LINK_PATH}/${token}`;
  }

  async find(token: string): Promise<LinkState> {
    const { store, clock } = this.#options;
    const link = TOKEN.test(token) ? await findSignInLink(store, hashOf(token)) : null;
    if (link === null) return { kind: 'unknown' };
    if (link.expiresAt <= clock.now()) return { kind: 'expired' };
    return { kind: link.usedFor === null ? 'open' : 'used', link };
  }

  /** Uses a link up for the session of this hash. False: another request used it first. */
  use(token: string, link: StoredSignInLink, sessionHash: string): Promise<boolean> {
    const { store, clock, ids } = this.#options;
    const next: SignInLink = { ...link, usedFor: { sessionHash } };
    return writeSignInLink(store, hashOf(token), { over: link, next, token: ids.token(), now: clock.now() });
  }
}

function hashOf(token: string): string {
  return hash('sha256', token, 'hex');
}
