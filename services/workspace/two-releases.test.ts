import { describe, expect, test } from 'vitest';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { currentSchemas, fingerprintOf, readSchemaHistory, type SchemaVersion } from '#codec/schema-history.ts';
import { decide } from '#domain/workspace/decide.ts';
import type { Command, CreatePost } from '#domain/workspace/commands.ts';
import type { Decide } from '#domain/workspace/decision.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { HEAD } from '#tables/repositories/workspaces.ts';
import { RULES } from '#testing/scenario.ts';
import { aLife, live } from './short-life.fixture.ts';
import { openWorkspaceHarness, type OwnersRelease, type WorkspaceHarness } from './workspace-harness.fixture.ts';

const MAX_STEPS = 400;
const history = readSchemaHistory();

/** The history of the release after this one: a message has one field more, which is written from format 2 on. */
function newerHistory(): readonly SchemaVersion[] {
  const known = currentSchemas(history).get('VariantsDue')!;
  const schema = JSON.parse(known.text);
  schema.fields.push({ name: 'planted', type: 'string', default: 'by the newer release' });
  const text = JSON.stringify(schema);
  const [id, version] = [history.length + 1, known.version + 1];
  return [...history, { name: known.name, id, version, format: 2, fingerprint: fingerprintOf(text), text }];
}

const newer = newerHistory();
/** Reads the messages of both, as the table of schemas lets it. */
const reader = createCodec({
  registry: { idOf: createBuiltInRegistry(history).idOf, schemaOf: createBuiltInRegistry(newer).schemaOf },
  history,
});

const FORMER: OwnersRelease = { writtenFormat: { now: () => 1 }, codec: reader };

const PLANTED = { planted: 'by the newer release' };

function planted<T>(value: T): T {
  return { ...value, ...PLANTED };
}

/** The release after this one, which adds a field to states, Posts and Variants while `format`, 2, is written. */
function newerRelease(format: () => number): OwnersRelease {
  const decideWithMore: Decide = (command, context) => {
    const decision = decide(command, context);
    if (decision.state === null || format() < 2) return decision;
    const posts = decision.posts.map((post) => planted({ ...post, variants: post.variants.map(planted) }));
    return { ...decision, posts, state: planted(decision.state) };
  };
  const codec = createCodec({ registry: createBuiltInRegistry(newer), history: newer, format });
  return { writtenFormat: { now: format }, codec, decide: decideWithMore };
}

const NEWER = newerRelease(() => 2);
const NEWER_BUT_LOWERED = newerRelease(() => 1);

/** What matters to readers: the same message in two encodings, or a timer of each, is handled once. */
function normalised(seen: any): unknown {
  const plain = ({ planted: _, ...value }: any): any => value;
  const state = plain(seen.state);
  const posts = seen.posts.map((post: any) => plain({ ...post, variants: post.variants.map(plain) }));
  const timers = new Set(seen.timers.map((timer: string) => timer.replace(/ \S{11} /, ' ')));
  return { ...seen, state, posts, timers, messages: new Set(seen.messages) };
}

async function formatOfHead(harness: WorkspaceHarness, workspaceId: string): Promise<number> {
  return (await harness.store.read(WORKSPACES, [workspaceId], HEAD, { serial: true }))!.format;
}

const ORDERS: readonly (readonly [string, OwnersRelease, OwnersRelease])[] = [
  ['the newer release takes over from this one', FORMER, NEWER],
  ['this one takes over from the newer release', NEWER, FORMER],
  ['the newer release takes over from this one, before its format is written', FORMER, NEWER_BUT_LOWERED],
];

describe.each(['partition', 'store', 'store_and_log'] as const)(
  'two releases beside each other, the atom a %s',
  (atom) => {
    test.each(ORDERS)('%s at any step of a turn: all comes about, and no row has two bodies', async (_, one, other) => {
      const life = aLife();
      const reference = normalised(await live(openWorkspaceHarness(), life));
      for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
        const harness = openWorkspaceHarness(atom, reader);
        let steps = 0;
        const { promise: stopped, resolve } = Promise.withResolvers<string>();
        const killed = async (step: string): Promise<void> => {
          if (++steps !== stopAt) return;
          resolve(step);
          await new Promise(() => {});
        };
        const first = harness.actor(life.scenario.id, killed, RULES, one);
        const run = async (): Promise<null> => {
          for (const batch of life.batches) await harness.handle(first, batch);
          return null;
        };
        const at = await Promise.race([stopped, run()]);
        const next = harness.actor(life.scenario.id, undefined, undefined, other);
        for (const batch of life.batches) await harness.handle(next, batch);
        await harness.rest();
        expect(normalised(await harness.seen(life.scenario.id, life.all)), `killed ${at}`).toEqual(reference);
        expect(harness.reporter.failures()).toEqual([]);
        if (at === null) return;
      }
      throw new Error('the life never ended');
    });

    test('this one keeps what the newer one added, in the state, in Posts and in Variants, through every turn', async () => {
      const life = aLife();
      const harness = openWorkspaceHarness(atom, reader);
      const { id } = life.scenario;
      const [founding, [creating, ...rest]] = life.batches as [readonly Command[], [CreatePost, ...Command[]]];
      await harness.handle(harness.actor(id, undefined, undefined, NEWER), [...founding, creating]);
      expect(await formatOfHead(harness, id)).toBe(2);
      await harness.handle(harness.actor(id, undefined, undefined, FORMER), rest);
      expect(await formatOfHead(harness, id)).toBe(1);
      await harness.rest();
      expect((await harness.head(id)).state).toMatchObject(PLANTED);
      const post = await readPost(harness.store, id, creating.postId);
      expect(post).toMatchObject({ ...PLANTED, variants: [PLANTED, PLANTED] });

      expect(await formatOfHead(harness, id)).toBe(1);
    });

    test('the newer one writes nothing new while its format is not written', async () => {
      const life = aLife();
      const [harness, former] = [openWorkspaceHarness(atom, reader), openWorkspaceHarness(atom, reader)];
      const { id } = life.scenario;
      const lives = async (of: WorkspaceHarness, release: OwnersRelease): Promise<unknown> => {
        const actor = of.actor(id, undefined, undefined, release);
        for (const batch of life.batches) await of.handle(actor, batch);
        await of.rest();
        return of.seen(id, life.all);
      };
      expect(await lives(harness, NEWER_BUT_LOWERED)).toEqual(await lives(former, FORMER));
      expect(await formatOfHead(harness, id)).toBe(1);
    });
  },
);
