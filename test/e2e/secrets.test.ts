import { expect, test } from 'vitest';
import type { Network } from '#domain/network.ts';
import { PUBLISH, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { AdminClient, ApiClient, SandboxClient } from '#testing/crier-clients.ts';
import { followConnectLink } from '#testing/connect-link.ts';
import { Echoes } from '#testing/echoes.ts';
import { keepSpans } from '#testing/kept-spans.ts';
import { until } from '#testing/until.ts';
import { openLiveInstallation, PLANTED, type LiveInstallation } from './live-installation.ts';

const TEXTUAL = ['x', 'threads', 'facebook'] as const satisfies readonly Network[];

/** Plays a browser: opens the link, consents at the Network, and returns. Returns the last page. */
async function connect(connectUrl: string): Promise<string> {
  const visit = (url: string, cookie = ''): Promise<Response> =>
    fetch(url, { redirect: 'manual', headers: { cookie } });
  const { consentUrl, cookie } = await followConnectLink(connectUrl);
  const approved = await visit(`${consentUrl}&auto_approve=1&account_name=Ada`);
  const done = await visit(approved.headers.get('location')!, cookie);
  return done.text();
}

interface Session {
  readonly admin: AdminClient;
  readonly api: ApiClient;
  readonly networks: SandboxClient;
  readonly workspaceId: string;
  /** Everything that was shown to anyone, in order. */
  readonly shown: string[];
}

async function openSession(live: LiveInstallation, echoes: Echoes): Promise<Session> {
  const admin = new AdminClient(live.adminUrl, PLANTED.adminToken);
  const { workspaceId, memberId } = await admin.call('workspaces.create', {
    name: 'Acme',
    ownerEmail: 'ada@example.com',
    plan: 'agency',
  });
  await admin.call('workspaces.addCredits', { workspaceId, credits: 100 });
  const { apiKey } = await admin.call('keys.create', {
    workspaceId,
    memberId,
    name: 'first',
    permissions: ['posts:publish'],
  });
  echoes.secrets.add(apiKey);
  return {
    admin,
    api: new ApiClient(live.baseUrl, apiKey),
    networks: new SandboxClient(live.networksUrl),
    workspaceId,
    shown: [],
  };
}

/** Connects a Channel of each Network; the first time the exchange of the code fails. */
async function connectAll({ admin, networks, workspaceId, shown }: Session): Promise<void> {
  for (const network of TEXTUAL) {
    const link = async (): Promise<string> =>
      (await admin.call('channels.connect', { workspaceId, network })).connectUrl;
    await networks.fault({
      network,
      fault: '5xx_after_commit',
      call: network === 'x' ? 'oauth.token' : 'oauth.access_token',
    });
    const failed = await connect(await link());
    const connected = await connect(await link());
    expect([failed, connected]).toEqual([expect.stringContaining('was not connected'), expect.stringContaining('Ada')]);
    shown.push(failed, connected);
  }
}

/** Publishes to all Channels; shows the outcome, and each step. Returns the reasons by Network. */
async function publish({ api, shown }: Session, text: string): Promise<Record<string, string | null>> {
  const channels = await api.channels();
  const { id } = await api.createPost({ text, channelIds: channels.map((channel) => channel.id) });
  const post = await until(
    async () => {
      const now = await api.getPost(id);
      return now.variants.every(({ status }) => status === 'published' || status === 'failed') ? now : null;
    },
    { what: `the end of "${text}"`, withinMs: 90_000 },
  );
  for (const variant of post.variants)
    shown.push(JSON.stringify((await api.send('GET', `/api/variants/${variant.id}/attempts`)).body));
  shown.push(
    JSON.stringify(post),
    JSON.stringify(
      (await api.send('POST', '/api/posts/validate', { text, channelIds: channels.map((channel) => channel.id) })).body,
    ),
  );
  return Object.fromEntries(post.variants.map(({ network, failureReason }) => [network, failureReason]));
}

async function buryLetters({ log, codec }: LiveInstallation['engine'], admin: AdminClient): Promise<void> {
  await log.append(WORKSPACE_COMMANDS.name, [{ key: 'a', value: Buffer.from('no message at all') }]);
  // A job of a Channel and a Post that do not exist.
  const ids = {
    workspaceId: '01930000-0000-7000-8000-000000000001',
    variantId: '01930000-0000-7000-8000-000000000001',
    channelId: '01930000-0000-7000-8000-000000000003',
  };
  const job = {
    type: 'PublishVariant',
    why: 'due',
    ...ids,
    attempt: 1,
    network: 'x',
    placement: 'feed',
    accountId: '1',
    dueAt: 0,
    latestStart: 0,
    reconcileFirst: false,
  } as const;
  await log.append(PUBLISH.x.name, [{ key: ids.channelId, value: codec.encode(job).subarray(0, -4) }]);
  await until(async () => (await admin.call('deadLetters.list', {})).deadLetters.length >= 2, {
    what: 'two dead letters',
  });
}

test(
  'live by settings alone: secrets are shown in no answer, logged nowhere and stored in the clear nowhere, whatever the Networks repeat',
  { timeout: 300_000 },
  async () => {
    const echoes = new Echoes();
    for (const planted of Object.values(PLANTED)) echoes.secrets.add(planted);
    const spans = keepSpans();
    await using live = await openLiveInstallation(echoes, spans.tracer);
    const session = await openSession(live, echoes);
    const { admin, api, networks, shown } = session;
    await connectAll(session);
    expect(await publish(session, 'All is well')).toEqual({ x: null, threads: null, facebook: null });
    for (const network of TEXTUAL)
      await networks.fault({
        network,
        fault: 'account_restricted',
        reason: { x: 'automated', threads: 'spam', facebook: 'abusive' }[network],
        // Publishing on threads would wait half a minute of real time for the proof that nothing is live.
        ...(network === 'threads' && { call: 'threads.create' }),
      });
    expect(await publish(session, 'Refused')).toEqual({
      x: 'rejected_by_platform',
      threads: 'rejected_by_platform',
      facebook: 'rejected_by_platform',
    });
    for (const network of TEXTUAL)
      await networks.fault({
        network,
        fault: 'token_revoked',
        ...(network === 'threads' && { call: 'threads.create' }),
      });
    expect(await publish(session, 'Revoked')).toEqual({
      x: 'needs_reconnect',
      threads: 'needs_reconnect',
      facebook: 'needs_reconnect',
    });
    await buryLetters(live.engine, admin);

    for (const path of ['/metrics', '/health/live', '/health/ready'] as const)
      shown.push(JSON.stringify((await admin.get(path)).body));
    for (const path of ['/api/channels', '/api/posts', '/api/usage', '/developers/openapi.json'])
      shown.push(JSON.stringify((await api.send('GET', path)).body));
    const { items: groups } = await admin.call('groups.list', {});
    // Every topic is read, by the group of that name.
    expect(groups.filter(({ withoutOwner }: { withoutOwner: number }) => withoutOwner > 0)).toEqual([]);
    for (const procedure of [
      'system.status',
      'groups.list',
      'cluster.status',
      'parked.list',
      'deadLetters.list',
      'timers.count',
    ])
      shown.push(JSON.stringify(await admin.call(procedure, {})));
    for (const { id } of (await admin.call('deadLetters.list', {})).deadLetters)
      shown.push(JSON.stringify(await admin.call('deadLetters.get', { id })));
    shown.push(JSON.stringify(await admin.call('workspaces.get', { workspaceId: session.workspaceId })));

    // The Network repeated it, and it is shown with the secrets left out.
    expect(shown.join('\n')).toContain('You sent: Bearer [secret]');
    expect(echoes.secrets.size).toBeGreaterThan(15);
    expect(live.lines.length).toBeGreaterThan(10);
    expect(live.kept.join('\n')).toContain('Refused');
    const traced = (await spans.read()).map((span) => JSON.stringify(span));
    expect(traced.length).toBeGreaterThan(30);
    for (const [where, words] of Object.entries({ shown, logged: live.lines, kept: live.kept, traced }))
      expect(echoes.foundIn(words.join('\n')), where).toEqual([]);
  },
);
