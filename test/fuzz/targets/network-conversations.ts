import assert from 'node:assert/strict';
import type { Network } from '#domain/network.ts';
import type { FirstComment, Publication, Tokens } from '#networks/contract/adapter.ts';
import type { Networks } from '#networks/registry.ts';
import type { HttpClient, HttpResponse } from '#ports/http-client.ts';
import { KINDS, type Kind } from '#services/publisher/publish/fault-matrix.fixture.ts';
import { openSandboxChannel, type SandboxChannel } from '#services/publisher/publish/sandbox-channel.fixture.ts';
import { fixtureRenditions } from '#testing/media-fixtures.ts';

interface RecordedAnswer {
  readonly method: string;
  readonly path: string;
  readonly answer: HttpResponse;
}

/** What a simulated Network answered while one kind of post was made, from signing in to the first comment. */
export interface Conversation {
  readonly network: Network;
  readonly answers: readonly RecordedAnswer[];
  readonly publication: Omit<Publication, 'http'>;
  /** Each that was written down on the way, and none. */
  readonly handles: readonly (string | null)[];
  readonly remoteId: string;
  readonly commentHandle: string | null;
}

/** What is to be in no detail. */
export const SECRETS = ['crier-sandbox-secret', 'an-access-token-of-somebody', 'a-refresh-token-of-somebody'] as const;
const [, ACCESS_TOKEN, REFRESH_TOKEN] = SECRETS;

export async function recordConversations(): Promise<readonly Conversation[]> {
  const conversations: Conversation[] = [];
  for (const kind of KINDS) conversations.push(await recordedOf(kind));
  return conversations;
}

async function recordedOf(kind: Kind): Promise<Conversation> {
  const { network, placement, files } = kind;
  const answers: RecordedAnswer[] = [];
  const recording = (real: HttpClient): HttpClient => ({
    send: async (request) => {
      const answer = await real.send(request);
      answers.push({ method: request.method, path: new URL(request.url).pathname, answer });
      return answer;
    },
  });
  const channel = await openSandboxChannel(network, { http: recording });
  const tokens = await channel.connections.tokensFor('channel', network);
  assert(tokens.kind === 'ok', `${network} can not be connected`);
  const { accessToken, accountId, username, facts: accountFacts } = tokens;
  const publication = {
    ...{
      accessToken,
      accountId,
      username,
      accountFacts,
      placement,
      title: null,
      cover: null,
      now: channel.clock.now(),
    },
    text: placement === 'story' ? '' : 'Hello https://example.com/a',
    options: network === 'tiktok' ? { privacy: 'public' as const } : {},
    media: fixtureRenditions(files),
  };
  const handles: (string | null)[] = [null];
  const remoteId = await published(channel, { ...publication, http: channel.http }, handles);
  const comments = channel.networks.comments[network];
  let commentHandle: string | null = null;
  const comment = { ...publication, http: channel.http, itemId: remoteId, text: 'First' };
  if (comments !== undefined && placement === 'feed') {
    commentHandle = await preparedComment(channel, comment);
    await comments.publish(comment, commentHandle);
  }
  await channel.networks.choices[network]?.read(comment);
  await channel.networks.metrics[network]?.read(channel.http, {
    ...{ accessToken, remoteId, publishedAt: channel.clock.now(), now: channel.clock.now() + 86_400_000 },
  });
  return {
    network,
    answers,
    publication: { ...publication, accessToken: ACCESS_TOKEN },
    handles,
    remoteId,
    commentHandle,
  };
}

const MOST_STEPS = 60;

async function preparedComment({ networks, network, clock }: SandboxChannel, comment: FirstComment) {
  let handle: string | null = null;
  for (let count = 0; count < MOST_STEPS; count++) {
    const step = await networks.comments[network]!.prepare(comment, handle);
    if (step.kind === 'ready') return step.handle;
    assert(step.kind === 'wait', `${network}: ${JSON.stringify(step)}`);
    handle = step.handle;
    await clock.advance(step.delayMs);
  }
  throw new Error(`the comment at ${network} is never ready`);
}

/** Makes it as a publisher does; what it is called at the Network. */
async function published(
  { networks, network, clock }: SandboxChannel,
  publication: Publication,
  handles: (string | null)[],
): Promise<string> {
  const adapter = networks.adapters[network]!;
  const now = () => ({ ...publication, now: clock.now() });
  let step: Awaited<ReturnType<typeof adapter.prepare>> | null = null;
  for (let count = 0; step?.kind !== 'ready'; count++) {
    assert(count < MOST_STEPS && step?.kind !== 'failed', `${network}: ${JSON.stringify(step)}`);
    step = await adapter.prepare(now(), handles.at(-1)!);
    if (step.kind === 'wait') await clock.advance(step.delayMs);
    if ('handle' in step && step.handle !== undefined) handles.push(step.handle);
  }
  const armedAt = clock.now();
  const answer = await adapter.publish(now(), handles.at(-1)!);
  if (answer.kind === 'published') return answer.remoteId;
  assert(answer.kind === 'accepted', `${network}: ${JSON.stringify(answer)}`);
  if (answer.handle !== undefined) handles.push(answer.handle);
  for (let asked = 0; asked < MOST_STEPS; asked++) {
    const told = await adapter.reconcile(now(), { handle: handles.at(-1)!, armedAt, asked });
    if (told.kind === 'published') return told.remoteId;
    assert(told.kind === 'processing' || told.kind === 'unknown', `${network}: ${JSON.stringify(told)}`);
    await clock.advance(told.delayMs ?? 1_000);
  }
  throw new Error(`${network} never has it`);
}

interface OperationAtNetwork {
  readonly name: string;
  /** The kinds of its answers, as the contract has them. */
  readonly kinds: readonly string[];
  /** Null: the Network has no such call. */
  run(networks: Networks, conversation: Conversation, http: HttpClient): Promise<unknown>;
}

const AUTH_KINDS = ['ok', 'refused', 'unavailable'];
const RECONCILED = ['published', 'absent', 'failed', 'processing', 'unknown'];
const TOKENS: Tokens = { accessToken: ACCESS_TOKEN, refreshToken: REFRESH_TOKEN, expiresAt: 2_000_000_000_000 };
const lastOf = ({ handles }: Conversation): string | null => handles.at(-1)!;
const commentOf = ({ publication, remoteId }: Conversation, http: HttpClient): FirstComment => ({
  ...{ ...publication, http, itemId: remoteId, text: 'First' },
});
/** Nothing is commented on a Story. */
const commentsOf = (comments: Networks['comments'], { network, publication }: Conversation) =>
  publication.placement === 'feed' ? comments[network] : undefined;
const armedOf = (conversation: Conversation) => ({
  ...{ handle: lastOf(conversation), armedAt: conversation.publication.now, asked: 2 },
});

/** Everything that an adapter can be asked to do, with what the conversation before it left behind. */
export const OPERATIONS_AT_NETWORKS: readonly OperationAtNetwork[] = [
  {
    name: 'prepare',
    kinds: ['ready', 'wait', 'failed'],
    run: async ({ adapters }, of, http) => {
      let answer: unknown = null;
      // From every place that an earlier step may have left.
      for (const handle of of.handles)
        answer = await adapters[of.network]!.prepare({ ...of.publication, http }, handle);
      return answer;
    },
  },
  {
    name: 'publish',
    kinds: ['published', 'accepted', 'failed', 'unknown'],
    run: ({ adapters }, of, http) => adapters[of.network]!.publish({ ...of.publication, http }, lastOf(of)),
  },
  {
    name: 'reconcile',
    kinds: RECONCILED,
    run: ({ adapters }, of, http) => adapters[of.network]!.reconcile({ ...of.publication, http }, armedOf(of)),
  },
  {
    name: 'search',
    kinds: ['published', 'processing', 'unknown', 'searched'],
    run: async ({ adapters }, of, http) =>
      (await adapters[of.network]!.search?.({ ...of.publication, http }, { handle: null, since: 0, asked: 0 })) ?? null,
  },
  {
    name: 'comment',
    kinds: ['published', 'accepted', 'failed', 'unknown'],
    run: async ({ comments }, of, http) =>
      (await commentsOf(comments, of)?.publish(commentOf(of, http), of.commentHandle)) ?? null,
  },
  {
    name: 'find comment',
    kinds: RECONCILED,
    run: async ({ comments }, of, http) =>
      (await commentsOf(comments, of)?.reconcile(commentOf(of, http), { ...armedOf(of), handle: of.commentHandle })) ??
      null,
  },
  {
    name: 'choices',
    kinds: AUTH_KINDS,
    run: async ({ choices }, of, http) => (await choices[of.network]?.read({ ...of.publication, http })) ?? null,
  },
  {
    name: 'metrics',
    kinds: ['ok', 'refused', 'gone', 'unavailable'],
    run: async ({ metrics }, { network, remoteId, publication: { now } }, http) =>
      (await metrics[network]?.read(http, { accessToken: ACCESS_TOKEN, remoteId, publishedAt: 0, now })) ?? null,
  },
  {
    name: 'exchange',
    kinds: AUTH_KINDS,
    run: ({ auths }, { network }, http) =>
      auths[network]!.exchange(http, { code: 'c', redirectUri: 'https://crier.test/c', verifier: 'v', now: 1 }),
  },
  {
    name: 'refresh',
    kinds: AUTH_KINDS,
    run: ({ auths }, { network }, http) => auths[network]!.refresh(http, TOKENS, 1),
  },
  {
    name: 'accounts',
    kinds: AUTH_KINDS,
    run: ({ auths }, { network }, http) => auths[network]!.accounts(http, TOKENS, 1),
  },
  {
    name: 'revoke',
    kinds: AUTH_KINDS,
    run: async ({ auths }, { network, publication: { accountId } }, http) =>
      (await auths[network]!.revoke?.(http, TOKENS, accountId)) ?? null,
  },
];
