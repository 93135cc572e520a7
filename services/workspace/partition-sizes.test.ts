import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { variantIdOf, variantNumberOf } from '#domain/post/ids.ts';
import type { Post } from '#domain/post/post.ts';
import { MAX_CALL_DETAIL_BYTES, roughBytesOf } from '#domain/post/weight.ts';
import { OUTCOME_TYPES } from '#domain/webhook/outcome-type.ts';
import type { Command } from '#domain/workspace/commands.ts';
import type { Credential } from '#domain/workspace/request-envelope.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import type { Row, Table } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { encodeRow } from '#outbox/relay.ts';
import { BUCKET_BYTES } from '#tables/buckets.ts';
import { POSTS, TABLES } from '#tables/declarations/tables.ts';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { RELEASE } from '#tables/release.ts';
import { encodeBody } from '#tables/rows/body.ts';
import { turnTimestamp } from '#tables/rows/pending-effects.ts';
import { fileRecord } from '#tables/repositories/parking.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { createLedger, type Arm, type Evidence } from '#tables/repositories/ledger.ts';
import { heldVariantRows } from '#tables/repositories/held-variants.ts';
import { contentRow, readPost, variantRow } from '#tables/repositories/posts.ts';
import { createRequestRows } from '#tables/repositories/requests.ts';
import { aWorkspace, DAY, type Scenario } from '#testing/scenario.ts';
import { BUCKETED, GROWTHS, POSTS_A_DAY, type Growth, type OpenGrowth } from './partition-growth.fixture.ts';
import { NO_LIMITS } from './post-life.fixture.ts';
import { openWorkspaceHarness, type WorkspaceHarness } from './workspace-harness.fixture.ts';

const MAX_MB = 100;
/** Of a row in Cassandra beside its keys and its body: flags, lengths, timestamp, format. */
const ROW_BYTES = 24;
/** What a row with an expiry has more. */
const EXPIRY_BYTES = 8;
/** The count of a bucket is right within a fifth, and the turn that fills it goes beyond by its own rows. */
const COUNT_ERROR = 1.2;
const BYTES_A_TURN = 512 * 1024;
const MEASURED_POSTS = 20;
const NETWORKS_OF_A_POST = ['facebook', 'instagram', 'threads', 'tiktok', 'youtube'] as const;

function bytesOf({ clustering, body }: Pick<Row, 'clustering' | 'body'>, { expires }: Table): number {
  const keys = clustering.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part.length + 1 : 8), 0);
  return ROW_BYTES + (expires === true ? EXPIRY_BYTES : 0) + keys + body.length;
}

/** All rows of a table, of those whose clustering begins with `kind`. */
async function rowsOf(store: TableStore, table: Table, kind?: string): Promise<readonly Row[]> {
  const { keys } = await store.partitions(table, { after: null, limit: 5_000 });
  const prefix = kind === undefined ? {} : { prefix: [kind] };
  return (await Promise.all(keys.map((key) => store.slice(table, key, { ...prefix, limit: 5_000 })))).flat();
}

/** What a Post leaves in a table. */
interface Left {
  readonly rows: number;
  readonly bytes: number;
}

async function left(store: TableStore, table: Table, kind?: string): Promise<Left> {
  const rows = await rowsOf(store, table, kind);
  return { rows: rows.length, bytes: rows.reduce((sum, row) => sum + bytesOf(row, table), 0) };
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

/**
 * Posts are created (`onCreated`), become due and are published, and their events are on their way to the endpoint.
 */
async function publish(
  { harness, scenario, credential, handle }: MeasuredWorkspace,
  onCreated = async () => {},
): Promise<readonly Post[]> {
  const [now, workspaceId] = [harness.clock.now(), scenario.id];
  const creating = Array.from({ length: MEASURED_POSTS }, (_, index) =>
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
  await onCreated();
  await park(harness, creating);
  await harness.clock.advance(DAY);
  const ledger = createLedger(harness.store);
  const deliveries = createDeliveryRows(harness.store);
  const requests = createRequestRows(harness.store);
  const remoteId = '100000000000001_100000000000002';
  const permalink = 'https://www.facebook.com/100000000000001/posts/100000000000002';
  const posts: Post[] = [];
  for (const { postId } of creating) {
    const post = await readPost(harness.store, workspaceId, postId);
    posts.push(post!);
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
    await requests.insert('key', [{ at: now, requestId: postId, replica: 'ingress-0123456789-abcde', uses: 1 }]);
    await hold(harness, post!);
  }
  return posts;
}

/** The row of a Variant that waits, as the Post's turn would write it; one Channel is sent each Post once. */
async function hold({ store }: WorkspaceHarness, post: Post): Promise<void> {
  const [row] = heldVariantRows(post, [{ ...post.variants[0]!, hold: { waiting: true } }]);
  const { table, write } = encodeRow(row!, RELEASE.format);
  await store.upsert(table, [{ ...write, timestamp: turnTimestamp(1) }]);
}

/** The records that come for a Workspace whose key is parked: while it is, none of its Variants start or end. */
async function park({ store }: WorkspaceHarness, commands: readonly Command[]): Promise<void> {
  const codec = createCodec({ registry: createBuiltInRegistry() });
  for (const [offset, command] of commands.entries()) {
    const key = { topic: WORKSPACE_COMMANDS.name, partition: 0, key: command.workspaceId };
    const state = { wish: 'none', drainedTo: -1, error: '', parkedAt: 0, held: 0 } as const;
    await fileRecord(
      store,
      { ...key, ...state, episode: command.workspaceId },
      { offset, value: codec.encode(command) },
    );
  }
}

/** A table's largest partition. */
interface LargestPartition {
  readonly table: string;
  readonly of: string;
  readonly rows: number;
  readonly rowBytes: number;
  readonly bytes: number;
}

function isOpen(growth: Growth | OpenGrowth | string): growth is OpenGrowth {
  return typeof growth === 'object' && 'whileLeft' in growth;
}

/** Rows and bytes that a Post leaves, by table and kind of row. */
type Measured = (table: Table, kind?: string) => Left;

function largestPartitions(measured: Measured, post: Post): readonly LargestPartition[] {
  return TABLES.flatMap((table): readonly LargestPartition[] => {
    const growth = GROWTHS[table.name]!;
    if (growth === 'entity' || isOpen(growth)) return [];
    if (growth === 'bucket') return [fullBucket(table, measured(table), post)];
    const parts = growth.parts.map(({ days, kind }) => ({ days, left: measured(table, kind) }));
    const rows = POSTS_A_DAY * parts.reduce((sum, part) => sum + part.left.rows * part.days, 0);
    const bytes = POSTS_A_DAY * parts.reduce((sum, part) => sum + part.left.bytes * part.days, 0);
    return [{ table: table.name, of: growth.of, rows, rowBytes: bytes / rows, bytes }];
  });
}

/** `post`: a usual one, as it counts when its bucket is chosen. */
function fullBucket(table: Table, { rows, bytes }: Left, post: Post): LargestPartition {
  const full = largestBucket(bytes, table === POSTS ? roughBytesOf(post) : bytes);
  const { name } = table;
  return { table: name, of: BUCKETED[name]!, rows: (full * rows) / bytes, rowBytes: bytes / rows, bytes: full };
}

/** Of rows of so many bytes that count for so many. */
function largestBucket(bytes: number, counted: number): number {
  return ((BUCKET_BYTES * COUNT_ERROR + BYTES_A_TURN) * bytes) / counted;
}

/** Of the tables that may exceed what others hold, what a day's Posts leave, and the days after which they do. */
function tableOfOpen(measured: Measured): string {
  const lines = TABLES.flatMap((table) => {
    const growth = GROWTHS[table.name]!;
    if (!isOpen(growth)) return [];
    const { rows, bytes } = measured(table);
    expect(rows, table.name).toBeGreaterThan(0);
    const days = (MAX_MB * 1e6) / (POSTS_A_DAY * bytes);
    const cells = [rounded(POSTS_A_DAY * rows), rounded(bytes / rows), rounded(days)];
    return [`| \`${table.name}\` | ${growth.whileLeft} | ${cells.join(' | ')} |`];
  });
  const head = `| Table | A partition is of | Rows a day | Bytes a row | Days to ${MAX_MB} MB |`;
  return [head, '|---|---|---|---|---|', ...lines].join('\n');
}

const rounded = (value: number): string => Number(value.toPrecision(2)).toLocaleString('en');

function tableOf(partitions: readonly LargestPartition[]): string {
  const lines = partitions
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(
      ({ table, of, rows, rowBytes, bytes }) =>
        `| \`${table}\` | ${of} | ${rounded(rows)} | ${rounded(rowBytes)} | ${rounded(bytes / 1e6)} MB |`,
    );
  return ['| Table | A partition is of | Rows | Bytes a row | Largest |', '|---|---|---|---|---|', ...lines].join('\n');
}

test(`no partition but those of a hold and a parked key grows beyond ${MAX_MB} MB at ${POSTS_A_DAY} Posts a day, as docs/capacity.md says`, async () => {
  expect(Object.keys(GROWTHS).toSorted()).toEqual(TABLES.map(({ name }) => name).toSorted());
  const world = await open();
  const { store } = world.harness;
  const kinds = TABLES.flatMap((table) => {
    const growth = GROWTHS[table.name]!;
    const parts = typeof growth === 'string' || isOpen(growth) ? [{}] : growth.parts;
    return parts.map(({ kind }: { readonly kind?: string }) => ({ table, kind }));
  });
  const measure = (): Promise<readonly Left[]> => Promise.all(kinds.map(({ table, kind }) => left(store, table, kind)));
  const before = await measure();
  let created: readonly Left[] = [];
  const [post] = await publish(world, async () => {
    created = await measure();
  });
  const after = await measure();
  const measured: Measured = (table, kind) => {
    const index = kinds.findIndex((each) => each.table === table && each.kind === kind);
    // Results are gone when Posts are due.
    const [first, last] = [before[index]!, (kind === 'result' ? created : after)[index]!];
    return { rows: (last.rows - first.rows) / MEASURED_POSTS, bytes: (last.bytes - first.bytes) / MEASURED_POSTS };
  };
  const partitions = largestPartitions(measured, post!);
  // Each table that grows was measured: a Post leaves rows in it.
  expect(partitions.filter(({ rows, rowBytes }) => !(rows > 0 && rowBytes > ROW_BYTES))).toEqual([]);
  expect(partitions.filter(({ bytes }) => bytes > MAX_MB * 1e6)).toEqual([]);
  const page = readFileSync(new URL('../../docs/capacity.md', import.meta.url), 'utf8');
  expect(page).toContain(tableOf(partitions));
  expect(page).toContain(tableOfOpen(measured));
});

test('a bucket of Posts whose Variants have the longest permalinks, reasons and comments is no larger than that', async () => {
  const [usual] = await publish(await open());
  const longest = 'x'.repeat(MAX_CALL_DETAIL_BYTES - 2);
  const comment = { status: 'failed', permalink: null, detail: longest, creditReserved: false } as const;
  const options = usual!.variants.map(({ channelId }) => [channelId, { firstComment: 'First!' }] as const);
  const post: Post = {
    ...usual!,
    channelOptions: Object.fromEntries(options),
    variants: usual!.variants.map((variant) => ({ ...variant, permalink: longest, firstComment: comment })),
  };
  const bytes = [contentRow(post), ...post.variants.map((variant) => variantRow(post, variant))]
    .map(({ clustering, value }) => bytesOf({ clustering, body: encodeBody(value) }, POSTS))
    .reduce((sum, each) => sum + each);
  expect(largestBucket(bytes, roughBytesOf(post)) / 1e6).toBeLessThan(MAX_MB);
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
