import { z } from 'zod';
import type { SendOperatorCommand } from '#commands/operator-command.ts';
import { isoOf } from '#domain/post/render.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import { OUTCOME_UNKNOWN } from '#use-cases/outcome.ts';
import type { BrowserSessions } from '../people/sessions.ts';
import type { SignedIn } from '../people/signed-in.ts';
import { makeWorkspace } from '../people/sign-up.ts';
import { SignUpLimits, type SignUpLimitsOptions } from '../people/sign-up-limits.ts';
import { Name, SentZone, ZoneName } from './fields.ts';
import { command } from './member-command.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { accountProcedure, openProcedure, refused, router } from './procedure.ts';
import { isTimeZone } from '#schemas/http/time-zone.ts';
import type { SubmitCommandOptions } from '#use-cases/submit-command.ts';

/** What the installation is, as its pages need to know. */
export interface Installation {
  readonly version: string;
  /** Posts go to the sandbox's Networks. */
  readonly sandbox: boolean;
  /** Where people see what the sandbox's Networks show; without a slash at the end. Null: nowhere. */
  readonly sandboxUrl: string | null;
  /** Whether owners can let time pass, with sandbox.advance. */
  readonly advancesTime: boolean;
  readonly billing: 'self-service' | 'operator' | 'stripe';
  /** Whether everybody may make a Workspace. */
  readonly signUpOpen: boolean;
  /** Without a slash at the end. */
  readonly publicUrl: string;
}

export interface AccountProceduresOptions extends SubmitCommandOptions, SignUpLimitsOptions {
  readonly clock: SignUpLimitsOptions['clock'];
  readonly installation: Installation;
  readonly sessions: Pick<BrowserSessions, 'list' | 'end'>;
  readonly memberships: (accountId: string) => Promise<readonly Membership[]>;
  readonly sendCommand: SendOperatorCommand;
}

/** Chosen by the page: sent twice, it makes one Workspace. */
const Nonce = z.string().regex(/^[\w-]{16,64}$/, 'must be 16 to 64 characters of base64url');
const SessionId = z.string().regex(/^[\da-f]{64}$/, 'must be the id of a session');

/** Who is signed in (null: nobody), and the server's time: the sandbox lets hours pass at once. */
export async function shownSession(
  signedIn: SignedIn | null,
  { installation, memberships, clock }: Pick<AccountProceduresOptions, 'installation' | 'memberships' | 'clock'>,
) {
  const now = isoOf(clock.now());
  if (signedIn === null) return { account: null, workspaces: [], installation, now };
  const { accountId, email } = signedIn;
  return { account: { email }, workspaces: shown(await memberships(accountId)), installation, now };
}

export function sessionProcedures({ sessions, ...options }: AccountProceduresOptions) {
  return router({
    /** The page of the app brings the first of these answers along. */
    get: openProcedure.query(({ ctx: { signedIn } }) => shownSession(signedIn, options)),
    end: accountProcedure.mutation(async ({ ctx: { signedIn, takeCookie } }) => {
      await sessions.end(signedIn.accountId, signedIn.sessionHash, 'sign-out');
      takeCookie();
      return { ended: true };
    }),
  });
}

export function sessionsProcedures({ sessions }: AccountProceduresOptions) {
  return router({
    /** The browsers in which the account is signed in, newest first. */
    list: accountProcedure.query(async ({ ctx: { signedIn } }) => {
      const all = await sessions.list(signedIn.accountId);
      return all.map(({ sessionHash, browser, createdAt, lastSeenAt, expiresAt }) => ({
        sessionId: sessionHash,
        browser,
        createdAt: isoOf(createdAt),
        lastSeenAt: isoOf(lastSeenAt),
        expiresAt: isoOf(expiresAt),
        isThis: sessionHash === signedIn.sessionHash,
      }));
    }),
    /** Signs the account out in every browser, this one last: an end that fails can be asked for again. */
    endAll: accountProcedure.mutation(async ({ ctx: { signedIn, takeCookie } }) => {
      const { accountId, sessionHash: own } = signedIn;
      const others = (await sessions.list(accountId)).filter(({ sessionHash }) => sessionHash !== own);
      for (const { sessionHash } of others) await sessions.end(accountId, sessionHash, 'list');
      await sessions.end(accountId, own, 'sign-out');
      takeCookie();
      return { ended: others.length + 1 };
    }),
    // The account is of the cookie, so only its own sessions can be named.
    end: accountProcedure
      .input(z.object({ sessionId: SessionId }))
      .mutation(async ({ ctx: { signedIn, takeCookie }, input: { sessionId } }) => {
        await sessions.end(signedIn.accountId, sessionId, 'list');
        if (sessionId === signedIn.sessionHash) takeCookie();
        return { sessionId };
      }),
  });
}

export function workspaceProcedures(member: MemberProcedure, options: AccountProceduresOptions) {
  const { memberships, sendCommand, installation } = options;
  const limits = new SignUpLimits(options);
  return router({
    list: accountProcedure.query(async ({ ctx: { signedIn } }) => shown(await memberships(signedIn.accountId))),
    create: accountProcedure
      .input(z.object({ name: Name, ownName: Name.exactOptional(), nonce: Nonce, timeZone: SentZone.exactOptional() }))
      .mutation(async ({ ctx: { signedIn, address }, input: { timeZone, ...asked } }) => {
        if (!installation.signUpOpen)
          throw refused({
            code: 'forbidden',
            message: 'Workspaces are made by the people who run this installation. Ask an owner of one to invite you.',
          });
        const tooMany = await limits.take(signedIn.accountId);
        if (tooMany !== null) throw refused(tooMany);
        // A browser may know zones that this machine does not yet: that is no reason to make nothing.
        const zone = timeZone !== undefined && isTimeZone(timeZone) ? { timeZone } : {};
        const signUp = { ...asked, ...zone, address };
        const { workspaceId, result: made } = await makeWorkspace(signedIn, signUp, sendCommand);
        if (made.ok) return { workspaceId };
        const { code, message } = made;
        throw refused(code === 'outcome_unknown' ? OUTCOME_UNKNOWN : { code, message });
      }),
    rename: member.input(z.object({ name: Name })).mutation(async ({ ctx: { call }, input: { name } }) => {
      await command(call, { type: 'RenameWorkspace', name }, options);
      return { name };
    }),
    /** The zone in which Members see its times; no Post moves. */
    setZone: member.input(z.object({ timeZone: ZoneName })).mutation(async ({ ctx: { call }, input: { timeZone } }) => {
      await command(call, { type: 'SetZone', timeZone }, options);
      return { timeZone };
    }),
  });
}

function shown(memberships: readonly Membership[]) {
  return memberships
    .filter(({ removed }) => !removed)
    .map(({ workspaceId, workspaceName, workspaceZone, role, memberId, name }) => ({
      id: workspaceId,
      name: workspaceName,
      /** IANA name; null: nobody chose one. */
      timeZone: workspaceZone,
      role,
      memberId,
      memberName: name,
    }));
}
