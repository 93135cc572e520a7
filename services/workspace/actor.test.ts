import { MAX_APART_MS } from '#domain/workspace/clock-skew.ts';
import { describe, expect, test } from 'vitest';
import { variantIdOf } from '#domain/post/ids.ts';
import { isRequested, type Command, type RequestedCommand } from '#domain/workspace/commands.ts';
import { PortError } from '#ports/errors.ts';
import { MAX_BODY_BYTES } from '#ports/table-store.ts';
import { aWorkspace, DAY, MINUTE } from '#testing/scenario.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { readResult } from '#tables/repositories/workspaces.ts';
import { aLife, live } from './short-life.fixture.ts';
import { openWorkspaceHarness, type WorkspaceHarness } from './workspace-harness.fixture.ts';

const MAX_STEPS = 400;

const lifeFrom = (issuedAt: number) => ({ issuedAt, notAfter: issuedAt + MINUTE });

/** The first answer of each command; all later ones must say the same. */
function expectOneAnswerEach(harness: WorkspaceHarness, commands: readonly Command[]): void {
  for (const command of commands.filter(isRequested)) {
    const results = harness.answers
      .filter(({ requestId }) => requestId === command.requestId)
      .map(({ result }) => result);
    expect(results.length, command.type).toBeGreaterThan(0);
    for (const result of results) expect(result).toEqual(results[0]);
  }
}

test.each(['partition', 'store'] as const)(
  'what the rules say is what is stored, and every result can be read: the atom a %s',
  async (atom) => {
    const harness = openWorkspaceHarness(atom);
    const life = aLife();
    const seen = (await live(harness, life)) as {
      state: unknown;
      posts: { id: string }[];
      assets: unknown[];
      audit: unknown[];
      changed: unknown;
      results: unknown[];
    };
    expect(seen.state).toEqual(life.scenario.state);
    expect(seen.posts).toEqual([...life.scenario.posts.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1)));
    expect(seen.assets).toEqual([...life.scenario.assets.values()]);
    expect([...life.scenario.assets.values()].map((asset) => asset.state)).toEqual(['ready', 'removed']);
    expect(seen.audit).toEqual(life.scenario.audit.toSorted((a, b) => (a.id < b.id ? 1 : -1)));
    expect(seen.changed).toEqual({ postIds: [...life.scenario.posts.keys()].toSorted(), channels: true });
    expect(seen.results).not.toContain(null);
    expect((await harness.head(life.scenario.id)).pending).toBe(null);
    expectOneAnswerEach(harness, life.all);
  },
);

describe.each(['partition', 'store', 'store_and_log'] as const)(
  'between any two steps of its turns, the atom a %s',
  (atom) => {
    const life = aLife();
    const reference = live(openWorkspaceHarness(), life);
    const open = () => openWorkspaceHarness(atom);

    /**
     * Runs the life with an owner that stops for good, or for a while, at step `stopAt`; then a second owner has it all
     * again.
     */
    async function interrupted(
      stopAt: number,
      stop: (harness: WorkspaceHarness, step: string) => Promise<void>,
    ): Promise<{ harness: WorkspaceHarness; at: string | null; ended: Promise<unknown> }> {
      const harness = open();
      let steps = 0;
      const { promise: stopped, resolve } = Promise.withResolvers<string>();
      const first = harness.actor(life.scenario.id, async (step) => {
        if (++steps !== stopAt) return;
        resolve(step);
        await stop(harness, step);
      });
      const run = async (): Promise<null> => {
        for (const batch of life.batches) await harness.handle(first, batch);
        return null;
      };
      const ended = run();
      const at = await Promise.race([stopped, ended]);
      return { harness, at, ended };
    }

    test('an owner is killed: the next one brings all of it about, exactly', async () => {
      for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
        const { harness, at } = await interrupted(stopAt, () => new Promise(() => {}));
        const next = harness.actor(life.scenario.id);
        for (const batch of life.batches) await harness.handle(next, batch);
        await harness.rest();
        expect(await harness.seen(life.scenario.id, life.all), `killed ${at}`).toEqual(await reference);
        expectOneAnswerEach(harness, life.all);
        if (at === null) return;
      }
      throw new Error('the life never ended');
    });

    test('an owner is held up, and goes on after another one did it all: nothing changes', async () => {
      for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
        const { promise: released, resolve: release } = Promise.withResolvers<void>();
        const { harness, at, ended } = await interrupted(stopAt, () => released);
        const next = harness.actor(life.scenario.id);
        for (const batch of life.batches) await harness.handle(next, batch);
        release();
        await ended;
        await harness.rest();
        expect(await harness.seen(life.scenario.id, life.all), `held up ${at}`).toEqual(await reference);
        expectOneAnswerEach(harness, life.all);
        if (at === null) return;
      }
      throw new Error('the life never ended');
    });

    test.each(['unavailable', 'unknown'] as const)(
      'one step fails %s: tried again, it comes to the same',
      async (kind) => {
        for (let failAt = 1; failAt < MAX_STEPS; failAt++) {
          const { harness, at, ended } = await interrupted(failAt, async (_bench, step) => {
            const settled = step.startsWith('after') && kind === 'unavailable';
            if (!settled) throw new PortError(kind, `failed ${step}`);
          });
          await ended;
          await harness.rest();
          expect(await harness.seen(life.scenario.id, life.all), `failed ${at}`).toEqual(await reference);
          expectOneAnswerEach(harness, life.all);
          if (at === null) return;
        }
        throw new Error('the life never ended');
      },
    );
  },
);

test('two owners side by side come to the same state as one', async () => {
  const life = aLife();
  const harness = openWorkspaceHarness();
  const owners = [harness.actor(life.scenario.id, () => harness.clock.sleep(0)), harness.actor(life.scenario.id)];
  const ended = Promise.all(
    owners.map(async (owner) => {
      for (const batch of life.batches) await harness.handle(owner, batch);
    }),
  );
  for (let passed = 0; passed < 400; passed++) await harness.clock.advance(1);
  await ended;
  await harness.rest();
  const seen = (await harness.seen(life.scenario.id, life.all)) as { state: unknown; posts: unknown };
  expect(seen.state).toEqual(life.scenario.state);
  expectOneAnswerEach(harness, life.all);
});

test('a report is not judged by a head that another owner has replaced since it was read', async () => {
  const harness = openWorkspaceHarness();
  const told: Command[] = [];
  const scenario = aWorkspace({ onCommand: (command) => void told.push(command) });
  scenario.channel('threads');
  const post = scenario.creating({ text: 'once', scheduledAt: scenario.now + DAY }) as { readonly postId: string };
  scenario.tell(post as Command);
  const former = harness.actor(scenario.id);
  await harness.handle(former, told);
  await harness.clock.advance(DAY);
  const about = { workspaceId: scenario.id, variantId: variantIdOf(post.postId, 1), attempt: 1 };
  const published: Command = { type: 'PublishSucceeded', ...about, remoteId: 'remote', permalink: null };
  const present = harness.actor(scenario.id);
  await harness.handle(present, [{ ...published, attempt: 7 }]);
  // It was stopped before this, and does not know yet that it is an owner no more.
  const posts = [{ postId: post.postId, attempt: 1, variants: [1] }];
  await harness.handle(former, [{ type: 'VariantsDue', workspaceId: scenario.id, posts }]);
  await harness.handle(present, [published]);
  expect((await readPost(harness.store, scenario.id, post.postId))!.variants[0]).toMatchObject({ status: 'published' });
});

test('a command that another owner has carried out is answered once the rows of its turn are written', async () => {
  const harness = openWorkspaceHarness();
  const told: Command[] = [];
  const scenario = aWorkspace({ onCommand: (command) => void told.push(command) });
  scenario.channel('threads');
  const former = harness.actor(scenario.id);
  await harness.handle(former, told);
  const post = scenario.creating({ text: 'once', scheduledAt: scenario.now + DAY });
  const { promise: never } = Promise.withResolvers<void>();
  const { promise: committed, resolve: commits } = Promise.withResolvers<void>();
  const present = harness.actor(scenario.id, async (step) => {
    if (step !== 'before upsert posts') return;
    commits();
    await never;
  });
  void harness.handle(present, [post]);
  await committed;
  const answered = harness.answers.length;
  await harness.handle(former, [post]);
  expect(harness.answers).toHaveLength(answered + 1);
  expect(await readPost(harness.store, scenario.id, (post as { postId: string }).postId)).not.toBeNull();
});

test('what is answered without a write waits until its command is durable', async () => {
  const harness = openWorkspaceHarness();
  const life = aLife();
  await live(harness, life);
  const { scenario } = life;
  const actor = harness.actor(scenario.id);
  const dryRun = () => scenario.creating({ text: 'not for good', dryRun: true });
  // By a head that it reads for this turn, and by one that it has.
  for (const command of [dryRun(), dryRun()]) {
    const { promise: durable, resolve } = Promise.withResolvers<void>();
    const answered = harness.answers.length;
    const handled = actor.handle([command], { isOurs: () => true, durable: () => durable });
    for (let passed = 0; passed < 20; passed++) await harness.clock.advance(1);
    if (harness.answers.length > answered) expect.fail('it was answered before it was durable');
    resolve();
    await handled;
    expect(harness.answers).toHaveLength(answered + 1);
  }
});

test('a read that its turn no longer waits for does not hide what a later turn made of the Post', async () => {
  const harness = openWorkspaceHarness();
  const told: Command[] = [];
  const scenario = aWorkspace({ onCommand: (command) => void told.push(command) });
  scenario.channel('x');
  const posts = ['one', 'two'].map((text) => scenario.creating({ text, scheduledAt: scenario.now + DAY }));
  for (const post of posts) scenario.tell(post);
  await harness.handle(harness.actor(scenario.id), told);
  const cancels = posts.map((post) =>
    scenario.ask({ type: 'CancelPost', postId: (post as { postId: string }).postId }),
  );
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let read = 0;
  const actor = harness.actor(scenario.id, async (step) => {
    if (step === 'after slice posts' && ++read === 1) await released;
    if (step === 'after slice posts' && read === 2) throw new PortError('unavailable', 'the second read is lost');
  });
  await expect(actor.handle(cancels)).rejects.toThrow('the second read is lost');
  await harness.handle(actor, cancels);
  const { xCredits } = (await harness.head(scenario.id)).state;
  release();
  await harness.clock.advance(0);
  const { postId } = posts[0] as { postId: string };
  await harness.handle(actor, [scenario.ask({ type: 'CancelPost', postId })]);
  expect((await harness.head(scenario.id)).state.xCredits).toEqual(xCredits);
});

describe('a command that comes again', () => {
  async function opened(): Promise<{ harness: WorkspaceHarness; life: ReturnType<typeof aLife> }> {
    const harness = openWorkspaceHarness();
    const life = aLife();
    await live(harness, life);
    return { harness, life };
  }

  test('standing twice in one batch, it is carried out once and both get the first answer, without a failure', async () => {
    const { harness, life } = await opened();
    const command = life.scenario.ask({ type: 'AddCredits', credits: 5 });
    const before = (await harness.head(life.scenario.id)).state.xCredits.available;
    await harness.actor(life.scenario.id).handle([command, command]);
    expect((await harness.head(life.scenario.id)).state.xCredits.available).toBe(before + 5);
    expect(harness.answers.slice(-2).map(({ result }) => result)).toEqual([
      { ok: true, kind: 'done' },
      { ok: true, kind: 'done' },
    ]);
  });

  test('after the actor forgot everything in the middle of another turn, it is not carried out again', async () => {
    const { harness, life } = await opened();
    const { id } = life.scenario;
    let isForgetting = false;
    const actor = harness.actor(id, async (step) => {
      if (isForgetting && step === 'before compareAndSet workspaces') actor.forget();
    });
    const added = (): Command => {
      const issuedAt = harness.clock.now();
      const command = life.scenario.ask({ type: 'AddCredits', credits: 5 }) as RequestedCommand;
      return { ...command, issuedAt, notAfter: issuedAt + 60_000 };
    };
    await harness.handle(actor, [added()]);
    // So that it is certain that no owner before this one carried it out.
    await harness.clock.advance(2 * MAX_APART_MS);
    const command = added();
    await harness.handle(actor, [command]);
    isForgetting = true;
    await harness.handle(actor, [added()]);
    isForgetting = false;
    const before = (await harness.head(id)).state.xCredits.available;
    await harness.handle(actor, [command]);
    expect((await harness.head(id)).state.xCredits.available).toBe(before);
  });

  test('what it sends to an endpoint twice has the same ids, and both requests get the first answer', async () => {
    const { harness, life } = await opened();
    const { scenario } = life;
    const keyId = scenario.uuid();
    const [memberId, endpointId] = [Object.keys(scenario.workspace.members)[0]!, scenario.uuid()];
    const by = { credential: { kind: 'key', keyId } } as const;
    const key = scenario.ask({
      type: 'CreateKey',
      keyId,
      memberId,
      name: 'a key',
      permissions: ['webhooks:manage'],
      tokenHash: 'a hash',
    });
    const endpoint = scenario.ask({
      type: 'RegisterEndpoint',
      endpointId,
      url: 'https://hooks.test/',
      events: ['variant.failed'],
      sealedSecret: 'sealed',
      ...by,
    });
    const onDemand = [
      scenario.ask({
        type: 'SendTestEvent',
        endpointId,
        eventId: scenario.uuid(),
        eventType: 'variant.failed',
        createdAt: scenario.now,
        body: '{}',
        ...by,
      }),
      scenario.ask({
        type: 'ReplayDelivery',
        endpointId,
        deliveryId: scenario.uuid(),
        round: scenario.uuid(),
        askedAt: scenario.now,
        ...by,
      }),
    ];
    await harness.actor(scenario.id).handle([key, endpoint, ...onDemand]);
    await harness.actor(scenario.id).handle(onDemand);
    expect(harness.answers.slice(-6).map(({ result }) => result)).toEqual(Array(6).fill({ ok: true, kind: 'done' }));
    const { messages } = (await harness.seen(scenario.id, onDemand)) as { messages: readonly string[] };
    const told = messages.map((text) => JSON.parse(text)).filter(([topic]) => topic === 'webhook.deliveries.v1');
    expect(told.map(([, owner, { message }]) => [owner, message])).toEqual(
      expect.arrayContaining(onDemand.map((command) => [endpointId, command])),
    );
    expect(told).toHaveLength(onDemand.length);
  });

  test('a refusal is remembered, though it would be granted now', async () => {
    const { harness, life } = await opened();
    const { scenario } = life;
    const actor = harness.actor(scenario.id);
    const post = scenario.creating({ text: 'refused', channelIds: [scenario.uuid()] });
    await actor.handle([post]);
    const refusal = harness.answers.at(-1)!.result;
    expect(refusal.ok).toBe(false);
    for (const owner of [actor, harness.actor(scenario.id)]) {
      await owner.handle([post]);
      expect(harness.answers.at(-1)!.result).toEqual(refusal);
    }
  });

  test('past its notAfter a command is not carried out, and its answer says so', async () => {
    const { harness, life } = await opened();
    await harness.clock.advance(2 * MINUTE);
    const before = (await harness.head(life.scenario.id)).state;
    await harness.actor(life.scenario.id).handle([life.scenario.ask({ type: 'AddCredits', credits: 5 })]);
    expect(harness.answers.at(-1)!.result).toMatchObject({ ok: false, code: 'outcome_unknown' });
    expect((await harness.head(life.scenario.id)).state).toEqual(before);
  });

  test('whose notAfter passes while what it is about is read is not carried out', async () => {
    const harness = openWorkspaceHarness('store');
    const life = aLife();
    await live(harness, life);
    const { scenario } = life;
    let isSlow = false;
    const actor = harness.actor(scenario.id, async (step) => {
      if (!isSlow || step !== 'before slice posts') return;
      isSlow = false;
      harness.clock.moveWall(2 * MINUTE);
    });
    await actor.handle([]);
    const postId = [...scenario.posts.keys()].at(-1)!;
    const before = (await harness.head(scenario.id)).state;
    isSlow = true;
    await actor.handle([{ ...scenario.ask({ type: 'CancelPost', postId }), ...lifeFrom(harness.clock.now()) }]);
    expect(isSlow).toBe(false);
    expect(harness.answers.at(-1)!.result).toMatchObject({ ok: false, code: 'outcome_unknown' });
    expect((await harness.head(scenario.id)).state).toEqual(before);
  });

  test('past its notAfter a command that was carried out keeps its first answer', async () => {
    const { harness, life } = await opened();
    const { scenario } = life;
    const actor = harness.actor(scenario.id);
    await actor.handle([]);
    await actor.handle([scenario.ask({ type: 'AddCredits', credits: 1 })]);
    await harness.clock.advance(20_000);
    scenario.now += 20_000;
    const command = scenario.ask({ type: 'AddCredits', credits: 5 });
    await actor.handle([command]);
    await harness.clock.advance(4 * MINUTE);
    scenario.now += 4 * MINUTE;
    await actor.handle([scenario.ask({ type: 'AddCredits', credits: 1 })]);
    await actor.handle([command]);
    expect(harness.answers.at(-1)!.result).toEqual({ ok: true, kind: 'done' });
    await harness.rest();
    expect(await readResult(harness.store, scenario.id, (command as { requestId: string }).requestId)).toEqual({
      ok: true,
      kind: 'done',
    });
  });

  test('a new owner that was held up while it loaded does not carry out again what the old one did meanwhile', async () => {
    const { harness, life } = await opened();
    const old = harness.actor(life.scenario.id);
    let command: Command | null = null;
    const late = harness.actor(life.scenario.id, async (step) => {
      if (step !== 'before read workspaces' || command !== null) return;
      await harness.clock.advance(20_000);
      life.scenario.now += 20_000;
      command = life.scenario.ask({ type: 'AddCredits', credits: 5 });
      await old.handle([command]);
    });
    await late.handle([life.scenario.ask({ type: 'AddCredits', credits: 1 })]);
    const before = (await harness.head(life.scenario.id)).state;
    await late.handle([command!]);
    expect((await harness.head(life.scenario.id)).state).toEqual(before);
  });

  test('from an ingress whose clock is nearly a minute ahead, it is not carried out again by a new owner', async () => {
    const { harness, life } = await opened();
    const { id } = life.scenario;
    const asked = life.scenario.ask({ type: 'AddCredits', credits: 5 }) as RequestedCommand;
    const command: Command = { ...asked, ...lifeFrom(harness.clock.now() + MAX_APART_MS - 2_000) };
    await harness.handle(harness.actor(id), [command]);
    await harness.clock.advance(1_000);
    const before = (await harness.head(id)).state.xCredits.available;
    await harness.handle(harness.actor(id), [command]);
    expect((await harness.head(id)).state.xCredits.available).toBe(before);
  });

  test('an actor that forgot its state and loads it anew knows what it carried out', async () => {
    const { harness, life } = await opened();
    const command = life.scenario.ask({ type: 'AddCredits', credits: 5 });
    const actor = harness.actor(life.scenario.id);
    await actor.handle([command]);
    const before = (await harness.head(life.scenario.id)).state;
    actor.forget();
    await actor.handle([command]);
    expect((await harness.head(life.scenario.id)).state).toEqual(before);
  });
});

describe('results', () => {
  test('a result is not shown while its turn still owes rows, and is shown soon after', async () => {
    const harness = openWorkspaceHarness();
    const life = aLife();
    await live(harness, life);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const actor = harness.actor(life.scenario.id, async (step) => {
      if (step === 'before upsert posts') await released;
    });
    const post = life.scenario.creating({ text: 'slow' });
    const result = () => readResult(harness.store, life.scenario.id, (post as { requestId: string }).requestId);
    const handled = actor.handle([post]);
    await harness.clock.advance(5_000);
    expect(harness.answers.some(({ requestId }) => requestId === post.requestId)).toBe(false);
    expect(await result()).toBe(null);
    release();
    await handled;
    await harness.clock.advance(0);
    await harness.rest();
    expect(await result()).toMatchObject({ ok: true, kind: 'post' });
  });
});

test('a new owner to whom a command comes again makes its result count, though the old one died before it cleared the head', async () => {
  const harness = openWorkspaceHarness();
  const life = aLife();
  await live(harness, life);
  const post = life.scenario.creating({ text: 'uncleared' });
  const result = () => readResult(harness.store, life.scenario.id, post.requestId);
  const first = harness.actor(life.scenario.id);
  await first.handle([post]);
  first.forget();
  await harness.rest();
  expect(await result()).toBe(null);
  await harness.actor(life.scenario.id).handle([post]);
  await harness.rest();
  expect(await result()).toMatchObject({ ok: true, kind: 'post' });
});

describe('turns are bounded', () => {
  test('more Posts than fit one turn take several, each head within bounds, and none is lost', async () => {
    const harness = openWorkspaceHarness();
    const scenario = aWorkspace({ plan: 'agency', credits: 10_000 });
    scenario.channel('threads');
    const life = aLife();
    await live(harness, life);
    const workspace = life.scenario;
    const posts = Array.from({ length: 150 }, (_, index) =>
      workspace.creating({
        text: `${'長'.repeat(2_000)} ${index}`,
        channelIds: Object.keys(workspace.workspace.channels),
      }),
    );
    harness.reporter.clear();
    await harness.actor(workspace.id).handle(posts);
    const turns = harness.reporter.of('turn-committed');
    expect(turns.length).toBeGreaterThan(1);
    for (const { facts } of turns) expect(facts['commands']).toBeLessThanOrEqual(100);
    const told = (fact: string) => turns.flatMap(({ facts }) => facts[fact] as readonly unknown[]);
    expect(told('requestIds').toSorted()).toEqual(posts.map(({ requestId }) => requestId).toSorted());
    expect(told('commandWaitsMs')).toHaveLength(posts.length);
    expectOneAnswerEach(harness, posts);
    expect(Buffer.byteLength(JSON.stringify(await harness.head(workspace.id)))).toBeLessThan(MAX_BODY_BYTES);
  });

  test('a hundred Variants due at once are all started, and each publication makes one event', async () => {
    const harness = openWorkspaceHarness();
    const life = aLife();
    await live(harness, life);
    const workspace = life.scenario;
    const channelIds = Object.keys(workspace.workspace.channels);
    const plan = workspace.ask({ type: 'SetPlan', plan: 'agency', effectiveAt: null });
    const posts = Array.from({ length: 50 }, (_, index) =>
      workspace.creating({ text: `p${index}`, channelIds, scheduledAt: workspace.now + DAY }),
    );
    const actor = harness.actor(workspace.id);
    await actor.handle([plan, workspace.ask({ type: 'AddCredits', credits: 1_000 }), ...posts]);
    const taken = posts.filter(
      (post) => harness.answers.find(({ requestId }) => requestId === post.requestId)!.result.ok,
    );
    expect(taken.length).toBeGreaterThan(0);
    await harness.clock.advance(DAY);
    await actor.handle([
      {
        type: 'VariantsDue',
        workspaceId: workspace.id,
        posts: taken.map(({ postId }) => ({ postId, attempt: 1, variants: [1, 2] })),
      },
    ]);
    const seen = (await harness.seen(workspace.id, [])) as {
      posts: { id: string; variants: { status: string }[] }[];
      messages: string[];
    };
    const ids = new Set(taken.map(({ postId }) => postId));
    const due = seen.posts
      .filter(({ id }) => ids.has(id))
      .flatMap(({ variants }) => variants.map(({ status }) => status));
    expect(due).toEqual(Array.from({ length: taken.length * 2 }, () => 'publishing'));
    expect(
      seen.messages.filter((message) => message.includes('"PublishVariant"') && message.includes('"due"')).length,
    ).toBeGreaterThanOrEqual(taken.length * 2);
  });
});

test('an overtaken owner decides by what the other owner wrote and not by its cache', async () => {
  const harness = openWorkspaceHarness();
  const life = aLife();
  await live(harness, life);
  const { scenario } = life;
  const post = scenario.creating({ text: 'both', scheduledAt: scenario.now + DAY });
  const mine = harness.actor(scenario.id);
  await mine.handle([post]);
  await harness.actor(scenario.id).handle([scenario.ask({ type: 'CancelPost', postId: post.postId })]);
  await harness.handle(mine, [
    { type: 'VariantsDue', workspaceId: scenario.id, posts: [{ postId: post.postId, attempt: 1, variants: [1, 2] }] },
  ]);
  const seen = (await harness.seen(scenario.id, [])) as { posts: { id: string; variants: { status: string }[] }[] };
  expect(seen.posts.find(({ id }) => id === post.postId)!.variants.map(({ status }) => status)).toEqual([
    'cancelled',
    'cancelled',
  ]);
});
