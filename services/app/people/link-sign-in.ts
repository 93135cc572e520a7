import { accountIdOf } from '#domain/account.ts';
import type { SendOperatorCommand } from '#commands/operator-command.ts';
import { PortError } from '#ports/errors.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import type { StoredSignInLink } from '#tables/repositories/sign-in-links.ts';
import { MailboxProof } from './mailbox-proof.ts';
import type { BrowserSessions, SessionSecret } from './sessions.ts';
import type { SignInLinks } from './sign-in-links.ts';

/** The browser that sends the form of a link. */
export interface SigningBrowser {
  /** SHA-256 of its key. */
  readonly browserHash: string;
  /** Words for a person. */
  readonly browser: string;
  /** Its IP address; null: not known. */
  readonly address: string | null;
}

export type SignInOutcome =
  | { readonly kind: 'signed-in'; readonly email: string; readonly secret: SessionSecret; readonly returnPath: string }
  /** The link is good for nothing any more, or never was. `email`: of a link that was used. */
  | { readonly kind: 'used'; readonly email: string }
  | { readonly kind: 'expired' | 'unknown' }
  /** The Workspace said no, in words for a person. */
  | { readonly kind: 'refused'; readonly message: string };

export interface LinkSignInOptions {
  readonly links: SignInLinks;
  readonly sessions: BrowserSessions;
  readonly memberships: (accountId: string) => Promise<readonly Membership[]>;
  readonly sendCommand: SendOperatorCommand;
  readonly reporter: Reporter;
}

/** Where a browser goes that did not ask for the link. */
const HOME = '/app';

/**
 * Signs a browser in by a link. The steps are ordered so that a process that dies between any two of them takes nothing
 * from the person, who sends the form again:
 * 1. What the Workspaces have to do, which may be repeated: accepting the invitation, verifying the address.
 * 2. The link is used up by compare-and-set, for a session whose row is not there yet. Of two requests one succeeds.
 * 3. The session's row is made. A link whose use led to no row may be used again, and who does that first prevents the
 *    row: so a slow request and the one that repeats it never both sign in.
 */
export class LinkSignIn {
  readonly #options: LinkSignInOptions;
  readonly #proof: MailboxProof;

  constructor(options: LinkSignInOptions) {
    this.#options = options;
    this.#proof = new MailboxProof(options);
  }

  /** Rejects with `PortError` when it can be tried again. */
  async byLink(token: string, browser: SigningBrowser): Promise<SignInOutcome> {
    const outcome = await this.#byLink(token, browser);
    this.#options.reporter.report('sign-in-ended', {
      outcome: outcome.kind,
      accountId: 'email' in outcome ? accountIdOf(outcome.email) : null,
    });
    return outcome;
  }

  async #byLink(token: string, { browserHash, browser, address }: SigningBrowser): Promise<SignInOutcome> {
    const { links, sessions } = this.#options;
    const found = await links.find(token);
    if (found.kind === 'expired' || found.kind === 'unknown') return { kind: found.kind };
    const { link } = found;
    const { email, usedFor } = link;
    if (usedFor !== null && !(await sessions.neverBegins(email, usedFor.sessionHash))) return { kind: 'used', email };

    const refusal = await this.#prepare(link, address);
    if (refusal !== null) return { kind: 'refused', message: refusal };
    const secret = sessions.newSecret();
    if (!(await links.use(token, link, secret.hash))) return { kind: 'used', email };
    if (!(await sessions.begin(secret, email, browser))) return { kind: 'used', email };
    const isWhoAsked = link.browserHash !== null && link.browserHash === browserHash;
    return { kind: 'signed-in', email, secret, returnPath: isWhoAsked ? link.returnPath : HOME };
  }

  /** What is true of an account that signs in: it accepted this invitation, and its address is verified. */
  async #prepare({ email, invitation }: StoredSignInLink, address: string | null): Promise<string | null> {
    const { memberships, sendCommand } = this.#options;
    if (invitation !== null) {
      const { workspaceId, invitationId, memberId, name } = invitation;
      const acceptance = { type: 'AcceptInvitation', invitationId, memberId, email, name } as const;
      const accepted = await sendCommand(workspaceId, acceptance, { address });
      if (!accepted.ok) return messageOf(accepted);
    }
    // What does not come about now is made up for by what the person asks for next.
    const all = await memberships(accountIdOf(email));
    await Promise.all(all.map((membership) => this.#proof.of(membership, address)));
    return null;
  }
}

/** Rejects what may be done by now: the person sends the form again. */
function messageOf({ code, message }: { readonly code: string; readonly message: string }): string {
  if (code === 'outcome_unknown') throw new PortError('unknown', message);
  return message;
}
