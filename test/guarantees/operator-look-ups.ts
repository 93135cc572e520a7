import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { extract } from 'tar-stream';
import { expect } from 'vitest';
import type { PostJson } from '#testing/crier-clients.ts';
import { runCrier } from '#testing/crier-cluster.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';
import { PUBLISH } from '#tables/declarations/topics.ts';

export interface LookUps {
  /** Of all roles. */
  readonly crier: CrierUnderTest;
  readonly env: Readonly<Record<string, string>>;
  readonly workspaceId: string;
  /** Published on x and threads, by two processes. */
  readonly post: PostJson;
}

/** Every look-up of operators, once each, against a cluster of two processes; what is wrong fails the test. */
export async function expectLookUps({ crier, env, workspaceId, post }: LookUps): Promise<void> {
  const call = (procedure: string, input: object = {}) => crier.admin().call(procedure, input);
  const shown = await call('posts.get', { postId: post.id });
  expect(shown).toMatchObject({ workspaceId, postId: post.id });
  expect(shown.variants.map((one: { waitsFor: string }) => one.waitsFor)).toEqual(['nothing', 'nothing']);
  for (const { id, network } of post.variants) {
    const variant = await call('variants.get', { variantId: id });
    expect(variant).toMatchObject({ workspaceId, network, status: 'published' });
    expect(variant.ledger.evidence.at(-1)).toMatchObject({ outcome: 'published' });
    expect(variant.log).toContainEqual(expect.objectContaining({ group: `publisher-${network}` }));
  }

  await until(async () => (await shardsWithoutOwner(crier)) === 0, {
    what: 'every shard has an owner',
    withinMs: 60_000,
  });
  await until(async () => isDeepStrictEqual(await groupsOf(crier), GROUPS), {
    what: `the groups are ${JSON.stringify(GROUPS)}`,
    withinMs: 60_000,
  });
  const { processes, schemaVersion, writes } = await call('cluster.status');
  expect([processes.length, schemaVersion > 0, writes > 0]).toEqual([2, true, true]);
  expect((await call('workspaces.list')).items).toContainEqual(expect.objectContaining({ workspaceId }));
  expect((await call('secrets.status')).keys.length).toBeGreaterThan(0);

  await expectDeadLetter(crier, env);
  await expectBundle(crier, env);
}

/** Members, and partitions that nobody reads. A group that is shared out anew has neither for a moment. */
const GROUPS: Readonly<Record<string, readonly [members: number, withoutOwner: number]>> = {
  workspace: [2, 0],
  scheduler: [1, 0],
  'publisher-x': [1, 0],
  'publisher-threads': [1, 0],
  'publisher-youtube': [0, PUBLISH.youtube.partitions],
  'dead-letters': [1, 0],
};

async function groupsOf(crier: CrierUnderTest): Promise<object> {
  const { items } = await crier.admin().call('groups.list');
  return Object.fromEntries(
    items
      .filter(({ group }: { group: string }) => group in GROUPS)
      .map(({ group, members, withoutOwner }: { group: string; members: readonly string[]; withoutOwner: number }) => [
        group,
        [members.length, withoutOwner],
      ]),
  );
}

async function shardsWithoutOwner(crier: CrierUnderTest): Promise<number> {
  const { items } = await crier.admin().call('shards.list');
  expect(items).toHaveLength(64);
  return items.filter(({ owner }: { owner: string | null }) => owner === null).length;
}

/** Garbage in a topic is put aside, shown, redriven, and put aside again. */
async function expectDeadLetter(crier: CrierUnderTest, env: LookUps['env']): Promise<void> {
  const producer = new Kafka({
    brokers: env['CRIER_KAFKA_BROKERS']!.split(','),
    logLevel: logLevel.NOTHING,
  }).producer();
  await producer.connect();
  const messages = [{ key: 'no-channel', value: 'no message at all', partition: 3 }];
  await producer.send({ topic: `${env['CRIER_KAFKA_TOPIC_PREFIX']}${PUBLISH.x.name}`, messages });
  await producer.disconnect();
  const call = (procedure: string, input: object = {}) => crier.admin().call(procedure, input);
  const letters = async (): Promise<readonly { id: string }[]> => (await call('deadLetters.list')).deadLetters;
  await until(async () => (await letters()).length === 1, { what: 'the dead letter is listed', withinMs: 60_000 });
  const [{ id }] = (await letters()) as [{ id: string }];
  expect(await call('deadLetters.get', { id })).toMatchObject({
    ...{ id, topic: PUBLISH.x.name, partition: 3, key: 'no-channel', readBy: 'publisher-x', type: null },
    content: { form: 'base64', base64: Buffer.from('no message at all').toString('base64') },
  });
  await call('deadLetters.redrive', { id });
  await until(async () => (await letters()).length === 2, { what: 'it is put aside again', withinMs: 60_000 });
}

async function expectBundle(crier: CrierUnderTest, env: LookUps['env']): Promise<void> {
  const out = join(crier.dataDir, '..', 'bundle.tar');
  const settings = { ...env, CRIER_INTERNAL_URL: crier.ready.adminUrl, CRIER_DATA_DIR: crier.dataDir };
  const { code, stdout, stderr } = await runCrier(
    ['support-bundle', '--engine=cluster', `--out=${out}`, '--json'],
    settings,
  );
  expect([code, stderr]).toEqual([0, '']);
  const { parts } = JSON.parse(stdout) as { readonly parts: readonly { file: string; trouble: string | null }[] };
  expect(parts.filter(({ trouble }) => trouble !== null).map(({ file }) => file)).toEqual(['log.jsonl']);
  const files = await filesIn(out);
  expect(JSON.parse(files.get('cassandra.json')!).release).toMatch(/^\d+\./);
  expect(JSON.parse(files.get('kafka.json')!).groups.length).toBeGreaterThan(5);
  expect(files.get('processes.txt')!.match(/^==== .*\/metrics$/gm)!.length).toBeGreaterThanOrEqual(2);
  const all = [...files.values()].join('\n');
  for (const secret of ['CRIER_ADMIN_TOKEN', 'CRIER_SECRET']) expect(all.includes(env[secret]!), secret).toBe(false);
}

async function filesIn(path: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const reading = extract();
  reading.end(readFileSync(path));
  for await (const entry of reading) {
    const pieces: Buffer[] = [];
    for await (const piece of entry) pieces.push(piece as Buffer);
    files.set(entry.header.name.replace('crier-support/', ''), Buffer.concat(pieces).toString('utf8'));
  }
  return files;
}
