import { NETWORKS } from '#domain/network.ts';
import type { Clock } from '#ports/clock.ts';
import type { AccountStates } from './account-states.ts';
import type { Account, Accounts } from './accounts.ts';
import type { AppStates } from './app-states.ts';
import { AVATAR_TYPE, avatarPng } from './avatar.ts';
import type { CallLog } from './call-log.ts';
import { BadControl, queriedNetwork, readFields, readInteger, readNetwork, refused } from './control-fields.ts';
import { html, isRecord, json, type SandboxAnswer, type Incoming } from './exchange.ts';
import { readFault } from './fault-request.ts';
import type { SandboxFaults } from './faults.ts';
import { feedPage } from './feed-page.ts';
import type { Files } from './files/files.ts';
import { serveFile } from './files/serve-file.ts';
import { inboxActions, isInboxAddress, noInbox } from './inbox/inbox-control.ts';
import type { Inboxes } from './inbox/inboxes.ts';
import type { Items } from './items.ts';
import { listMail, receiveMail, showMail } from './mail/mail-control.ts';
import type { Mailbox } from './mail/mailbox.ts';
import type { Simulators } from './simulators.ts';
import { readAppState, setAccountState } from './state-requests.ts';
import type { Timing } from './timing.ts';

export interface ControlOptions {
  readonly simulators: Simulators;
  readonly accounts: Accounts;
  readonly accountStates: AccountStates;
  readonly appStates: AppStates;
  readonly items: Items;
  readonly files: Files;
  readonly faults: SandboxFaults;
  readonly timing: Timing;
  readonly calls: CallLog;
  readonly mailbox: Mailbox;
  readonly clock: Pick<Clock, 'now'>;
  /** Null where no inboxes are served. */
  readonly inboxes: Inboxes | null;
  readonly baseUrl: () => string;
}

const MAX_FACTOR = 1_000;
const MAX_LIMIT = 1_000_000_000;
const instant = (at: number) => new Date(at).toISOString();

function listItems(request: Incoming, { items, baseUrl }: ControlOptions): SandboxAnswer {
  const network = queriedNetwork(request);
  const accountId = request.query.get('accountId') || undefined;
  const found = items.all({
    ...(network === undefined ? {} : { network }),
    ...(accountId === undefined ? {} : { accountId }),
  });
  const base = baseUrl();
  return json(200, {
    items: found.map(({ path, publishedAt, options = {}, link = null, comments = [], ...item }) => ({
      ...item,
      publishedAt: instant(publishedAt),
      permalink: base + path,
      options,
      link,
      comments: comments.map((comment) => ({
        remoteId: comment.remoteId,
        text: comment.text,
        publishedAt: instant(comment.publishedAt),
        permalink: base + comment.path,
      })),
    })),
  });
}

function setTiming(request: Incoming, { timing }: ControlOptions): SandboxAnswer {
  const { network, factor } = readFields(request, ['network', 'factor']);
  const chosen = readNetwork(network);
  if (typeof factor !== 'number' || !(factor >= 0 && factor <= MAX_FACTOR))
    throw new BadControl(`factor must be a number from 0 to ${MAX_FACTOR}.`);
  timing.set(chosen, factor);
  return json(200, { network: chosen, factor });
}

function setLimits(request: Incoming, { simulators }: ControlOptions): SandboxAnswer {
  const fields = readFields(request, ['network', 'limits']);
  const { network, limits } = simulators[readNetwork(fields['network'])];
  if (!isRecord(fields['limits'])) throw new BadControl('limits must be an object of whole numbers.');
  const wished = Object.entries(fields['limits']).map(([name, value]) => {
    if (!limits.names.includes(name)) throw new BadControl(`limits of ${network} are: ${limits.names.join(', ')}.`);
    return [name, readInteger(value, name, 0, MAX_LIMIT)] as const;
  });
  for (const [name, value] of wished) limits.set(name, value);
  return json(200, { network, limits: Object.fromEntries(limits.names.map((name) => [name, limits.get(name)])) });
}

function showFaults({ faults }: ControlOptions): SandboxAnswer {
  return json(200, { faults: faults.list() });
}

function showApps({ appStates }: ControlOptions): SandboxAnswer {
  return json(200, { apps: NETWORKS.map((network) => ({ network, ...appStates.get(network) })) });
}

const noAccount = (accountId: string) => refused(404, 'not_found', `There is no account ${accountId.slice(0, 60)}.`);

function revoke(accountId: string, { accounts }: ControlOptions): SandboxAnswer {
  return accounts.revoke(accountId) ? json(200, { accountId, revoked: true }) : noAccount(accountId);
}

function changeAccount(accountId: string, request: Incoming, deps: ControlOptions): SandboxAnswer {
  const account = deps.accounts.get(accountId);
  if (account === null) return noAccount(accountId);
  return json(200, { accountId, state: setAccountState(request, account, deps.accountStates) });
}

function listCalls(request: Incoming, { calls }: ControlOptions): SandboxAnswer {
  return json(200, { calls: calls.list(queriedNetwork(request)).map((call) => ({ ...call, at: instant(call.at) })) });
}

function avatar(file: string, { accounts }: ControlOptions): SandboxAnswer {
  const account: Account | null = accounts.get(file.replace(/_.*$/s, ''));
  if (account === null) return refused(404, 'not_found', 'There is no such picture.');
  return {
    status: 200,
    headers: { 'content-type': AVATAR_TYPE, 'content-security-policy': "default-src 'none'" },
    body: avatarPng(account),
  };
}

type Action = (request: Incoming, deps: ControlOptions) => SandboxAnswer;

const ACTIONS: Readonly<Record<string, Readonly<Record<string, Action>>>> = {
  '/': {
    GET: (_request, { accounts, items, inboxes, baseUrl }) =>
      html(200, feedPage(accounts, items, baseUrl(), inboxes !== null)),
  },
  '/mail': { GET: (request, { mailbox }) => showMail(request, mailbox) },
  '/sandbox/mail': {
    GET: (request, { mailbox }) => listMail(request, mailbox),
    POST: (request, { mailbox, clock }) => receiveMail(request, mailbox, clock),
  },
  '/sandbox/items': { GET: listItems },
  '/sandbox/calls': { GET: listCalls },
  '/sandbox/timing': { POST: setTiming },
  '/sandbox/limits': { POST: setLimits },
  '/sandbox/apps': {
    GET: (_request, deps) => showApps(deps),
    POST(request, deps) {
      const { network, to } = readAppState(request);
      deps.appStates.set(network, to);
      return json(200, { network, ...to });
    },
  },
  '/sandbox/faults': {
    GET: (_request, deps) => showFaults(deps),
    POST(request, deps) {
      deps.faults.set(readFault(request, deps.simulators));
      return showFaults(deps);
    },
    DELETE(_request, deps) {
      deps.faults.clear();
      return showFaults(deps);
    },
  },
};

function actionsAt(request: Incoming, { inboxes }: ControlOptions): Readonly<Record<string, Action>> | null {
  const [, kind, id = '', verb] = request.segments;
  const path = `/${request.segments.join('/')}`;
  if (Object.hasOwn(ACTIONS, path)) return ACTIONS[path]!;
  if (isInboxAddress(request.segments))
    return inboxes === null ? { GET: noInbox, POST: noInbox } : inboxActions(request.segments, inboxes);
  if (request.segments[0] !== 'sandbox') return null;
  if (kind === 'accounts' && verb === 'revoke' && request.segments.length === 4)
    return { POST: (_request, deps) => revoke(id, deps) };
  if (kind === 'accounts' && verb === 'state' && request.segments.length === 4)
    return { POST: (asked, deps) => changeAccount(id, asked, deps) };
  if (kind === 'files' && request.segments.length === 3)
    return { GET: (asked, deps) => serveFile(asked, id, deps.files) };
  if (kind === 'avatars' && request.segments.length === 3) return { GET: (_request, deps) => avatar(id, deps) };
  return null;
}

/** Accepts JSON, or no body. Any page can send other types without the browser asking first (CORS preflight). */
function isJson(request: Incoming): boolean {
  const type = request.header('content-type');
  return (
    request.method === 'GET' ||
    /^application\/json(?:\s*;|$)/i.test(type) ||
    (type === '' && request.bytes.length === 0)
  );
}

/** Accepts the form of an inbox's page: browsers send the page's origin, and the server has checked that it is ours. */
function isOwnForm(request: Incoming): boolean {
  return (
    request.segments[0] === 'inbox' &&
    request.header('origin') !== '' &&
    /^application\/x-www-form-urlencoded\b/i.test(request.header('content-type'))
  );
}

/** The control API and pages beside the Networks, for people and tests. */
export function control(request: Incoming, deps: ControlOptions): SandboxAnswer {
  const actions = actionsAt(request, deps);
  if (actions === null) return refused(404, 'not_found', 'There is nothing at this address.');
  const action = Object.hasOwn(actions, request.method) ? actions[request.method] : undefined;
  if (action === undefined) {
    const answer = refused(405, 'method_not_allowed', `This address has ${Object.keys(actions).join(', ')}.`);
    return { ...answer, headers: { ...answer.headers, allow: Object.keys(actions).join(', ') } };
  }
  if (!isJson(request) && !isOwnForm(request))
    return refused(415, 'unsupported_media_type', 'Send JSON, with the header Content-Type: application/json.');
  try {
    return action(request, deps);
  } catch (error) {
    if (error instanceof BadControl) return refused(400, 'invalid_request', error.message);
    throw error;
  }
}
