import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { errors, type Provider } from 'oidc-provider';
import type { SendOperatorCommand } from '#commands/operator-command.ts';
import { derivedId } from '#domain/derived-id.ts';
import { PERMISSIONS, type Permission } from '#domain/workspace/state.ts';
import { formOf, sendPage } from '#http-server/page.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import { isOfOwnPage } from '#http-server/form-guard.ts';
import { MailboxProof } from '../people/mailbox-proof.ts';
import { signInAddress, type SignedIn, type Sessions } from '../people/signed-in.ts';
import { shownAppOf, type ShownApp } from './shown-app.ts';
import { consentBody, mayApprove } from './consent-page.ts';
import type { AuthorizationServerOptions } from './dependencies.ts';
import { presented } from './presented-request.ts';
import { DEFAULT_PERMISSION, isPermission, OFFLINE_ACCESS, permissionsOf } from './resources.ts';

export interface AppConsentOptions {
  readonly publicUrl: string;
  readonly sessions: Sessions;
  readonly reporter: Reporter;
  readonly notYouForm: AuthorizationServerOptions['notYouForm'];
  /** Of an account, with those that it left. */
  readonly memberships: (accountId: string) => Promise<readonly Membership[]>;
  readonly sendCommand: SendOperatorCommand;
  /** Approvals of a Workspace that have no token any more: they make room for the new one. */
  readonly endedApprovals: (workspaceId: string) => Promise<readonly string[]>;
}

export interface ConsentExchange {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly provider: Provider;
  /** From the page's address. */
  readonly interactionId: string;
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** What a person is asked, by whom, and what the form has to prove. */
interface Question extends ConsentExchange {
  readonly interaction: Interaction;
  readonly signedIn: SignedIn;
  readonly memberships: readonly Membership[];
  readonly app: ShownApp;
  /**
   * The form's proof that it was filled in on this page, in this browser, by who is signed in now, and about the app as
   * it is described now.
   */
  readonly csrfToken: string;
}

/**
 * The page on which a Member lets an app act for them. Asked -> approved or denied, by its form alone. An approval's id
 * follows from what was chosen, so a form that is sent again, e.g. after a crash, repeats the same approval.
 */
export class AppConsent {
  readonly #options: AppConsentOptions;
  readonly #proof: MailboxProof;

  constructor(options: AppConsentOptions) {
    this.#options = options;
    this.#proof = new MailboxProof(options);
  }

  /** Rejects with `SessionNotFound` when this browser began no such request, or it was answered or is too old. */
  async ask(exchange: ConsentExchange): Promise<void> {
    const question = await this.#question(exchange);
    if (question !== null) this.#sendPage(question, 200, null);
  }

  /** As `ask`. */
  async decide(exchange: ConsentExchange): Promise<void> {
    const question = await this.#question(exchange);
    if (question === null) return;
    const form = await formOf(exchange.request);
    const ownOrigin = new URL(this.#options.publicUrl).origin;
    if (!isOfOwnPage(exchange.request, ownOrigin) || form?.get('csrfToken') !== question.csrfToken)
      return this.#sendPage(question, 403, 'This page was out of date. Please look at it again, then decide.');
    const decision = form.get('decision') ?? ['approve', 'deny'].find((name) => form.has(name));
    if (decision === 'deny') return this.#deny(question);
    if (decision === 'approve') return this.#approve(question, form);
    this.#sendPage(question, 400, 'Please press one of the two buttons.');
  }

  async #deny(question: Question): Promise<void> {
    const result = { error: 'access_denied', error_description: 'the person did not allow it' };
    this.#options.reporter.report('app-consent-given', { outcome: 'denied', ...reported(question) });
    await this.#finish(question, result);
  }

  async #approve(question: Question, form: URLSearchParams): Promise<void> {
    const { interaction, signedIn, app } = question;
    const membership = question.memberships.find(({ workspaceId }) => workspaceId === form.get('workspaceId'));
    if (membership === undefined || !mayApprove(membership))
      return this.#sendPage(question, 400, 'Please choose one Workspace.');
    const ticked = new Set<Permission>([DEFAULT_PERMISSION, ...form.getAll('permissions').filter(isPermission)]);
    const permissions = PERMISSIONS.filter((permission) => ticked.has(permission));
    const { workspaceId, memberId } = membership;
    const approvalId = derivedId(`approval ${[interaction.uid, workspaceId, memberId, ...permissions].join(' ')}`);
    const { clientId, name, registered, redirect } = app;
    const approval = { approvalId, clientId, name, registered, redirectHost: redirect.kept, memberId, permissions };
    const forget = await this.#options.endedApprovals(workspaceId);
    const result = await this.#options.sendCommand(
      workspaceId,
      { type: 'ApproveApp', ...approval, forget },
      { address: question.request.ip },
    );
    if (!result.ok) {
      this.#options.reporter.report('app-consent-given', { outcome: 'refused', ...reported(question), workspaceId });
      return this.#sendPage(question, 409, result.message);
    }
    // The library cuts tokens down to the scopes of the request; the person may have ticked more than was asked.
    const offline = String(interaction.params['scope']).split(' ').includes(OFFLINE_ACCESS) ? [OFFLINE_ACCESS] : [];
    interaction.params['scope'] = [...PERMISSIONS, ...offline].join(' ');
    this.#options.reporter.report('app-consent-given', {
      outcome: 'approved',
      ...reported(question),
      workspaceId,
      approvalId,
    });
    const login = { accountId: signedIn.accountId };
    await this.#finish(question, { login, select_account: {}, consent: { grantId: approvalId } });
  }

  /** Sends the browser on to the library, which sends it on to the app. */
  async #finish({ interaction, response }: Question, result: NonNullable<Interaction['result']>): Promise<void> {
    interaction.result = result;
    await interaction.persist();
    response.writeHead(303, { Location: interaction.returnTo, 'Cache-Control': 'no-store', 'Content-Length': 0 });
    response.end();
  }

  /** Null: nobody is signed in, and the browser was sent to do so. */
  async #question(exchange: ConsentExchange): Promise<Question | null> {
    const { provider, request, response, interactionId } = exchange;
    const { publicUrl, sessions } = this.#options;
    const seen = presented({ request, target: request.url, body: Buffer.alloc(0), accept: 'text/html', publicUrl });
    const interaction = await provider.interactionDetails(seen, response);
    // The cookie belongs to this page's path, so another id means that somebody made it up.
    if (interaction.uid !== interactionId) throw new errors.SessionNotFound('another request is on the way');
    const signedIn = await sessions.current(request);
    if (signedIn === null) {
      response
        .writeHead(303, {
          Location: signInAddress(publicUrl, consentPath(interaction.uid)),
          'Cache-Control': 'no-store',
        })
        .end();
      return null;
    }
    const { client_id: clientId, redirect_uri: redirectUri } = interaction.params as Record<string, string>;
    const client = await provider.Client.find(clientId!);
    if (client === undefined) throw new errors.InvalidClient('client is invalid', 'client not found');
    const app = shownAppOf({ clientId: clientId!, clientName: client.clientName, redirectUri: redirectUri! });
    const memberships = await this.#verifiedMemberships(signedIn, request.ip ?? null);
    const proof = ['consent', interaction.uid, signedIn.sessionHash, app.name, app.redirect.host];
    const csrfToken = hash('sha256', JSON.stringify(proof), 'base64url');
    return { ...exchange, interaction, signedIn, memberships, app, csrfToken };
  }

  async #verifiedMemberships({ accountId }: SignedIn, address: string | null): Promise<readonly Membership[]> {
    const all = await this.#options.memberships(accountId);
    const verified = (each: Membership): Promise<boolean> => this.#proof.of(each, address);
    return Promise.all(all.map(async (each) => ({ ...each, emailVerified: await verified(each) })));
  }

  #sendPage(question: Question, status: number, problem: string | null): void {
    const { request, response, requestId, app, memberships, signedIn, interaction, csrfToken } = question;
    const { publicUrl, notYouForm } = this.#options;
    const body = consentBody({
      app,
      memberships,
      csrfToken,
      problem,
      email: signedIn.email,
      asked: permissionsOf(interaction.params['scope']),
      action: `${publicUrl}${consentPath(interaction.uid)}`,
      notYouForm: notYouForm({ request, response, returnPath: consentPath(interaction.uid) }),
      appUrl: `${publicUrl}/app`,
    });
    const formLeadsTo = app.redirect.source;
    sendPage(response, { status, title: 'Let an app act for you?', body, requestId, formLeadsTo });
  }
}

/** Where a person decides about an interaction, below the public address. */
export function consentPath(interactionId: string): string {
  return `/oauth/consent/${interactionId}`;
}

function reported({ app: { clientId, registered }, requestId }: Question) {
  return { clientId, registered, requestId };
}
