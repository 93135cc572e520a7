import { expect, test } from 'vitest';
import { variantIdOf, variantNumberOf } from '#domain/post/ids.ts';
import { OUTCOME_TYPES } from '#domain/webhook/outcome-type.ts';
import type { Command } from '#domain/workspace/commands.ts';
import type { Credential } from '#domain/workspace/request-envelope.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import type { Row, Table } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { TABLES, WORKSPACES } from '#tables/declarations/tables.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { createLedger, type Arm, type Evidence } from '#tables/repositories/ledger.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { aWorkspace, DAY, type Scenario } from '#testing/scenario.ts';
import { NO_LIMITS } from './post-life.fixture.ts';
import { openWorkspaceHarness, type WorkspaceHarness } from './workspace-harness.fixture.ts';

/** Of one Workspace, each to five Channels. */
const POSTS_A_DAY = 200_000;
const MAX_MB = 100;
/** The busiest minute has a thirtieth of a day's Posts, the busiest hour an eighth. */
const OF_A_MINUTE = 1 / 30;
const OF_AN_HOUR = 1 / 8;
/** Of a row in Cassandra beside its keys and its body: flags, lengths, timestamp, format. */
const ROW_BYTES = 24;
/** What a row with an expiry has more. */
const EXPIRY_BYTES = 8;
/** Expired rows are in files until these were compacted, three hours later at the soonest. */
const GRACE_DAYS = 0.25;

/**
 * By table: how many days' Posts the largest partition holds rows of. `entity`: a partition is of one Variant, Post,
 * Channel, key or delivery, or of what an installation has few of, and does not grow with Posts.
 */
const DAYS_IN_A_PARTITION: Readonly<Record<string, number | 'entity'>> = {
  // Idempotency-Keys, 27 hours each; results of requests go after minutes.
  workspaces: 1.125 + GRACE_DAYS,
  workspace_views: 'entity',
  posts: 1,
  post_days: 'entity',
  posts_by_due_week: 7,
  post_digests: 1 + 1 / 144 + GRACE_DAYS,
  recent_changes: OF_AN_HOUR,
  due: OF_A_MINUTE,
  due_hours: 'entity',
  shards: 'entity',
  publishing_holds: 'entity',
  held_workspaces: 'entity',
  held_variants: 'entity',
  needed_reconnects: 'entity',
  publish_arms: 'entity',
  live_items: 'entity',
  publish_evidence: 'entity',
  assets: 'entity',
  renditions: 'entity',
  variant_files: 'entity',
  uploads: 'entity',
  variant_metrics: 'entity',
  connections: 'entity',
  channels_by_person: 'entity',
  data_deletions: 'entity',
  sign_ins: 'entity',
  network_uses: 'entity',
  credentials: 'entity',
  credential_owners: 'entity',
  memberships: 'entity',
  subscriptions: 'entity',
  approvals: 'entity',
  approval_uses: 'entity',
  audit: 31,
  operator_calls: 'entity',
  sign_in_links: 'entity',
  sessions: 'entity',
  oauth_records: 'entity',
  requests: 'entity',
  deliveries: 'entity',
  deliveries_by_endpoint: 1,
  failing_endpoints: 'entity',
  parked_keys: 'entity',
  parked: 'entity',
  dead_letters: 'entity',
  dead_letter_values: 'entity',
  handling: 'entity',
  processes: 'entity',
  installation: 'entity',
  avro_schemas: 'entity',
};
const POSTS = 20;
const NETWORKS_OF_A_POST = ['facebook', 'instagram', 'threads', 'tiktok', 'youtube'] as const;

/** The tables whose partitions do grow beyond it, and how far: docs/capacity.md says up to which rates they do not. */
const KNOWN_MB: Readonly<Record<string, number>> = { audit: 2_900, posts: 720, posts_by_due_week: 115 };

function bytesOf({ clustering, body }: Row, { expires }: Table): number {
  const keys = clustering.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length + 1 : 8), 0);
  return ROW_BYTES + (expires === true ? EXPIRY_BYTES : 0) + keys + body.length;
}

async function rowsOf(store: TableStore, table: Table): Promise<readonly Row[]> {
  const { keys } = await store.partitions(table, { after: null, limit: 5_000 });
  // Beside Idempotency-Keys the head's partition has what does not grow with Posts.
  const kind = table === WORKSPACES ? { prefix: ['idempotency'] } : {};
  return (await Promise.all(keys.map((key) => store.slice(table, key, { ...kind, limit: 5_000 })))).flat();
}

/** A Workspace as agencies have them: its Posts come by a key, and one endpoint gets all events. */
async function open(): Promise<MeasuredWorkspace> {
  const told: Command[] = [];
  const scenario = aWorkspace({ plan: 'agency', onCommand: (command) => void told.push(command) });
  for (const network of NETWORKS_OF_A_POST) scenario.channel(network);
  const [memberId, keyId] = [scenario.uuid(), scenario.uuid()];
  const credential = { kind: 'key', keyId } as const;
  scenario.must({ type: 'AddMember', memberId, name: 'Grace Hopper', email: 'grace@example.test' });
  scenario.must({ type: 'VerifyEmail', memberId });
  const key = { keyId, memberId, name: 'The scheduler', permissions: PERMISSIONS, tokenHash: 'f'.repeat(64) };
  scenario.must({ type: 'CreateKey', ...key });
  const endpoint = { url: 'https://hooks.example.test/crier', sealedSecret: 's'.repeat(150), events: OUTCOME_TYPES };
  scenario.must({ type: 'RegisterEndpoint', endpointId: scenario.uuid(), ...endpoint, credential });
  const harness = openWorkspaceHarness('partition');
  const actor = harness.actor(scenario.id, undefined, NO_LIMITS);
  await harness.handle(actor, told);
  return { harness, scenario, credential, handle: (commands) => harness.handle(actor, commands) };
}

interface MeasuredWorkspace {
  readonly harness: WorkspaceHarness;
  readonly scenario: Scenario;
  readonly credential: Credential;
  handle(commands: readonly Command[]): Promise<void>;
}

/** Posts are created, become due and are published, and their events are on their way to the endpoint. */
async function publish({ harness, scenario, credential, handle }: MeasuredWorkspace): Promise<void> {
  const [now, workspaceId] = [harness.clock.now(), scenario.id];
  const creating = Array.from({ length: POSTS }, (_, index) =>
    scenario.creating({
      text: `${index} `.padEnd(200, 'text '),
      scheduledAt: now + DAY,
      idempotencyKey: `${String(index).padStart(8, '0')}-0000-7000-8000-000000000000`,
      issuedAt: now,
      notAfter: now + 60_000,
      credential,
    }),
  );
  await handle(creating);
  await harness.clock.advance(DAY);
  const ledger = createLedger(harness.store);
  const deliveries = createDeliveryRows(harness.store);
  const remoteId = '100000000000001_100000000000002';
  const permalink = 'https://www.facebook.com/100000000000001/posts/100000000000002';
  for (const { postId } of creating) {
    const post = await readPost(harness.store, workspaceId, postId);
    const numbers = post!.variants.map(({ id }) => variantNumberOf(id));
    expect(numbers).toHaveLength(NETWORKS_OF_A_POST.length);
    await handle([{ type: 'VariantsDue', workspaceId, posts: [{ postId, attempt: 1, variants: numbers }] }]);
    for (const number of numbers) {
      const variantId = variantIdOf(postId, number);
      await ledger.moveArm(variantId, null, ARM, 'token');
      await ledger.writeEvidence(variantId, EVIDENCE);
      await handle([{ type: 'PublishSucceeded', workspaceId, variantId, attempt: 1, remoteId, permalink }]);
      const at = harness.clock.now();
      const of = { id: variantId, workspaceId, endpointId: 'endpoint', eventId: variantId } as const;
      const delivery = { ...of, type: 'variant.published', createdAt: at } as const;
      await deliveries.make(delivery, { id: '', since: at }, Buffer.alloc(3_000));
    }
  }
}

test(`no partition grows beyond ${MAX_MB} MB at ${POSTS_A_DAY} Posts a day, but for three that are named`, async () => {
  const world = await open();
  const { store } = world.harness;
  const bytesByTable = async (): Promise<readonly number[]> =>
    Promise.all(
      TABLES.map(async (table) => (await rowsOf(store, table)).reduce((sum, row) => sum + bytesOf(row, table), 0)),
    );
  const before = await bytesByTable();
  await publish(world);
  const after = await bytesByTable();
  expect(Object.keys(DAYS_IN_A_PARTITION).toSorted()).toEqual(TABLES.map(({ name }) => name).toSorted());
  const megabytes = TABLES.flatMap(({ name }, index): readonly (readonly [string, number])[] => {
    const days = DAYS_IN_A_PARTITION[name]!;
    return days === 'entity' ? [] : [[name, (((after[index]! - before[index]!) / POSTS) * POSTS_A_DAY * days) / 1e6]];
  });
  // Each table that grows was measured: a Post leaves rows in it.
  expect(megabytes.filter(([, size]) => size <= 0)).toEqual([]);
  const over = Object.fromEntries(megabytes.filter(([, size]) => size > MAX_MB));
  expect(Object.keys(over).toSorted()).toEqual(Object.keys(KNOWN_MB).toSorted());
  for (const [name, size] of Object.entries(over)) expect(size, name).toBeLessThan(KNOWN_MB[name]!);
});

const ARM: Arm = {
  attempt: 1,
  stage: 'closed',
  handle: '100000000000001',
  armedAt: 1,
  armToken: 'token',
  sendBefore: 1,
  notBefore: 0,
  asked: 0,
  failures: 0,
  refreshed: false,
  earlier: null,
  verdict: null,
};

const EVIDENCE: Evidence = {
  attempt: 1,
  step: 'publish',
  id: 'id',
  armToken: 'token',
  startedAt: 1,
  finishedAt: 1,
  outcome: 'published',
  detail: '',
  remoteId: '100000000000001_100000000000002',
  permalink: null,
  failure: null,
};
