import { PERMISSIONS, type Permission } from '#domain/workspace/state.ts';
import { escaped } from '#http-server/page.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import type { ShownApp } from './shown-app.ts';

export interface ConsentPage {
  readonly app: ShownApp;
  readonly email: string;
  readonly memberships: readonly Membership[];
  /** Ticked to begin with; all may be chosen. */
  readonly asked: readonly Permission[];
  readonly csrfToken: string;
  /** Where the form is sent. */
  readonly action: string;
  /** HTML of a form by which somebody else comes back signed in. */
  readonly notYouForm: string;
  readonly appUrl: string;
  /** Why the form was not carried out; null: it was not sent yet. */
  readonly problem: string | null;
}

const WORDS: Readonly<Record<Permission, string>> = {
  'posts:schedule':
    'See Channels and Posts, schedule Posts at least 15 minutes ahead, and cancel them. Every app may do this.',
  'posts:publish':
    'Publish at once, and retry. What is published can be seen by everybody, and can not be taken back here.',
  'webhooks:manage': 'Manage webhooks: addresses that events are sent to when a Post was published or failed.',
};

/** Whether the Member may let an app act for them in this Workspace. */
export function mayApprove({ role, emailVerified, removed }: Membership): boolean {
  return !removed && emailVerified && role !== 'viewer';
}

/** HTML of the form by which a Member lets an app act for them in one Workspace. It works without JavaScript. */
export function consentBody(page: ConsentPage): string {
  const { app, email, memberships, notYouForm, problem } = page;
  const present = memberships.filter(({ removed }) => !removed);
  const open = present.filter(mayApprove);
  return [
    problem === null ? '' : `<p class="alarm" role="alert">${escaped(problem)}</p>`,
    `<p>An app that calls itself <strong><bdi>${escaped(app.name)}</bdi></strong> wants to act for you in Crier. The name is the app’s own claim.</p>`,
    originWords(app),
    redirectWords(app),
    `<p>You are <strong><bdi>${escaped(email)}</bdi></strong>.</p>`,
    open.length === 0 ? noWorkspace(page, present) : form(page, open, present),
    notYouForm,
  ].join('\n');
}

function originWords({ documentHost }: ShownApp): string {
  return documentHost === null
    ? '<p class="soft">The app registered itself: nobody has checked who is behind it.</p>'
    : `<p class="soft">The app is described by a document at <strong><bdi>${escaped(documentHost)}</bdi></strong>.</p>`;
}

function redirectWords({ redirect: { kind, host } }: ShownApp): string {
  const name = `<strong><bdi>${escaped(host)}</bdi></strong>`;
  if (kind === 'host') return `<p>Then you are sent to ${name}.</p>`;
  const then =
    kind === 'this-computer'
      ? `Then you are sent to a program on ${name}.`
      : `Then you are sent to the program on this device that opens addresses of ${name}`;
  return `<p>${then}</p><p class="alarm">Any program on this computer can pretend to be the app. Go on only if you have just started to connect it yourself, here.</p>`;
}

function noWorkspace({ action, csrfToken, appUrl }: ConsentPage, present: readonly Membership[]): string {
  const why =
    present.length === 0
      ? `You are not a Member of any Workspace yet. <a href="${escaped(appUrl)}">Make one or ask for an invitation</a>, then start again from the app.`
      : present.some(({ role, emailVerified }) => role !== 'viewer' && !emailVerified)
        ? 'Your address is not verified there yet, and could not be verified now. Please try again in a minute.'
        : 'In none of your Workspaces may you approve apps. Please ask an owner to make you an editor.';
  return `<p>${why}</p>${list(present)}<form method="post" action="${escaped(action)}">${token(csrfToken)}<button name="decision" value="deny">Go back to the app</button></form>`;
}

function form(
  { action, csrfToken, asked }: ConsentPage,
  open: readonly Membership[],
  present: readonly Membership[],
): string {
  const [only, ...others] = open;
  const workspaces = open.map(({ workspaceId, workspaceName, role }) => {
    const checked = others.length === 0 && only!.workspaceId === workspaceId ? ' checked' : '';
    return `<label><input type="radio" name="workspaceId" value="${escaped(workspaceId)}" required${checked}> <bdi>${escaped(workspaceName)}</bdi> <span class="soft">(${role})</span></label>`;
  });
  const permissions = PERMISSIONS.map((permission) => {
    const fixed = permission === 'posts:schedule';
    // A control that is disabled is not sent; this permission comes with every approval anyway.
    const state = `${fixed || asked.includes(permission) ? ' checked' : ''}${fixed ? ' disabled' : ''}`;
    return `<label><input type="checkbox" name="permissions" value="${permission}"${state}> <strong>${permission}</strong><br>${WORDS[permission]}</label>`;
  });
  const closed = present.filter((membership) => !mayApprove(membership));
  return `<form method="post" action="${escaped(action)}">${token(csrfToken)}
<fieldset><legend>In which Workspace?</legend>${workspaces.join('')}${list(closed)}</fieldset>
<fieldset><legend>What may it do there?</legend>${permissions.join('')}</fieldset>
<p class="soft">This can be ended at any time: in the app, under Apps, or by the operator of this Crier.</p>
<button name="decision" value="approve">Allow</button>
<button name="decision" value="deny" class="quiet" formnovalidate>Do not allow</button></form>`;
}

/** Workspaces that can not be chosen, each with the reason. */
function list(closed: readonly Membership[]): string {
  if (closed.length === 0) return '';
  const items = closed.map(({ workspaceName, role }) => {
    const why = role === 'viewer' ? 'viewers do not approve apps' : 'your address is not verified there';
    return `<li><bdi>${escaped(workspaceName)}</bdi>: ${why}</li>`;
  });
  return `<p class="soft">Not to choose from:</p><ul class="soft">${items.join('')}</ul>`;
}

function token(csrfToken: string): string {
  return `<input type="hidden" name="csrfToken" value="${escaped(csrfToken)}">`;
}
