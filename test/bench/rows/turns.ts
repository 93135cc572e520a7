import type { Channel } from '#domain/channel/channel.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { HeadEncoder } from '#tables/rows/head-encoder.ts';
import { aWorkspace } from '#testing/scenario.ts';
import type { Bench } from '../bench.ts';
import { median } from '../quantiles.ts';
import { target } from '../report.ts';

const CHANNELS = 500;

/** What a turn of a Workspace with many Channels spends on its head, beside what it decides. */
export function turns({ sizes, add, say }: Bench): Promise<void> {
  say(`encoding heads of ${CHANNELS} Channels`);
  const count = sizes.turnsOfALargeWorkspace;
  const rounds = Array.from({ length: count }, (_, turn) => turn);
  const heads = new HeadEncoder();
  let state = workspaceOf(CHANNELS);
  const took = (work: () => unknown): number => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  };
  const encode = (changed: WorkspaceState): number => {
    state = changed;
    return took(() => heads.encodeHead(state, 'null'));
  };
  const first = rounds.map(() => took(() => new HeadEncoder().encodeHead(state, 'null')));
  encode(state);
  const ofPosts = rounds.map((posts) => encode({ ...state, usage: { ...state.usage, posts } }));
  const ofAChannel = rounds.map((seenAt) => encode(withSeen(state, seenAt)));
  const body = Buffer.from(heads.encodeHead(state, 'null'));
  const parsed = rounds.map(() => took(() => JSON.parse(body.toString('utf8'))));
  const plainly = rounds.map(() => took(() => Buffer.from(JSON.stringify({ state, pending: null }))));
  const figures = {
    'turn ms': median(ofPosts),
    'turn that changes a Channel ms': median(ofAChannel),
    'first turn ms': median(first),
    'reading it in ms': median(parsed),
    'JSON.stringify ms': median(plainly),
    'head KB': body.length / 1_000,
  };
  add({
    group: 'turn',
    what: `the head of a Workspace of ${CHANNELS} Channels, encoded for a turn`,
    rateLimit: 0,
    figures,
    target: target('<= 0.3 ms a turn', figures, { atMost: { 'turn ms': 0.3, 'turn that changes a Channel ms': 0.3 } }),
    how: `medians of ${count}; a head is read in, and encoded whole, once by each process that comes to own the Workspace; JSON.stringify is what each turn would take without the bytes that are kept`,
  });
  return Promise.resolve();
}

function withSeen(state: WorkspaceState, seenAt: number): WorkspaceState {
  const id = `channel-${seenAt % CHANNELS}`;
  return { ...state, channels: { ...state.channels, [id]: { ...state.channels[id]!, seenAt } } };
}

function workspaceOf(count: number): WorkspaceState {
  const channels = Object.fromEntries(
    Array.from({ length: count }, (_, number) => [`channel-${number}`, channel(number)]),
  );
  return { ...aWorkspace().workspace, channels };
}

function channel(number: number): Channel {
  return {
    id: `channel-${number}`,
    network: 'facebook',
    name: `A page of a customer, number ${number}`,
    avatarUrl: null,
    connectionId: 'c'.repeat(26),
    picture: { blob: 'b'.repeat(40), askedAt: 1_790_000_000_000 },
    accountId: String(10 ** 16 + number),
    kind: 'page',
    state: 'connected',
    connectedAt: 1_790_000_000_000,
    seenAt: 1_790_000_000_000,
    disconnects: 0,
    lastDisconnect: null,
  };
}
