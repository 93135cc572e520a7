import { variantIdOf } from '#domain/post/ids.ts';
import type { Command } from '#domain/workspace/commands.ts';
import { DAY, Scenario } from '#testing/scenario.ts';
import type { WorkspaceHarness } from './workspace-harness.fixture.ts';

export interface ShortLife {
  readonly scenario: Scenario;
  readonly batches: readonly (readonly Command[])[];
  readonly all: readonly Command[];
}

/** A short life of a Workspace in two batches, and what it comes to by the rules alone. */
export function aLife(): ShortLife {
  const scenario = new Scenario();
  const told = (command: Command): Command => (scenario.tell(command), command);
  const owner = { memberId: scenario.uuid(), name: 'Ada', email: 'ada@example.test', emailVerified: true };
  const channel = (network: 'x' | 'threads') =>
    scenario.ask({
      type: 'ConnectChannel',
      channelId: scenario.uuid(),
      network,
      name: network,
      avatarUrl: null,
      accountId: network,
      kind: '',
    });
  const first = [
    scenario.ask({ type: 'CreateWorkspace', name: 'W', plan: 'pro', owner }),
    scenario.ask({ type: 'AddCredits', credits: 10 }),
    channel('x'),
    channel('threads'),
  ].map(told);
  const now = told(scenario.creating({ text: 'now' }));
  const later = told(scenario.creating({ text: 'later', scheduledAt: scenario.now + DAY, idempotencyKey: 'once' }));
  const postId = (now as { postId: string }).postId;
  const laterId = (later as { postId: string }).postId;
  const second = [
    now,
    later,
    told({ type: 'VariantsDue', workspaceId: scenario.id, posts: [{ postId, attempt: 1, variants: [1, 2] }] }),
    told({
      type: 'PublishSucceeded',
      workspaceId: scenario.id,
      variantId: variantIdOf(postId, 1),
      attempt: 1,
      remoteId: 'r',
      permalink: null,
    }),
    told({
      type: 'PublishFailed',
      workspaceId: scenario.id,
      variantId: variantIdOf(postId, 2),
      attempt: 1,
      reason: 'rejected_by_platform',
      detail: 'no',
    }),
    told(scenario.ask({ type: 'RetryVariant', variantId: variantIdOf(postId, 1) })),
    told(scenario.ask({ type: 'CancelPost', postId: laterId })),
    ...uploads(scenario).map(told),
  ];
  return { scenario, batches: [first, second], all: [...first, ...second] };
}

/** One that is completed, and one whose file never came. */
function uploads(scenario: Scenario): readonly Command[] {
  const [whole, missing] = [scenario.uuid(), scenario.uuid()];
  const facts = {
    kind: 'image',
    contentType: 'image/png',
    bytes: 5,
    sha256: 'a',
    width: 1,
    height: 1,
    durationMs: null,
  } as const;
  const reserve = (assetId: string) =>
    scenario.ask({ type: 'ReserveUpload', assetId, filename: 'a', contentType: 'image/png', bytes: 5 });
  return [
    reserve(whole),
    reserve(missing),
    scenario.ask({
      type: 'CompleteUpload',
      assetId: whole,
      file: { blob: 'assets/a/original/b', facts },
      problem: null,
    }),
    scenario.ask({ type: 'CompleteUpload', assetId: missing, file: null, problem: null }),
  ];
}

/** Lived by one owner; all that can be seen of it afterwards. */
export async function live(harness: WorkspaceHarness, life: ShortLife): Promise<unknown> {
  const actor = harness.actor(life.scenario.id);
  for (const batch of life.batches) await harness.handle(actor, batch);
  await harness.rest();
  return harness.seen(life.scenario.id, life.all);
}
