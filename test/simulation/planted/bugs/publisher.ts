import type { BugsOfRoom } from '../planted-bug.ts';
import {
  CRASHES_AND_REBALANCES,
  CUT_ANSWERS,
  HOLDS,
  HOLDS_AND_DEATHS,
  MANY_LOST_RECORDS,
  OVERLAPS,
  PAUSES,
  QUIET,
  RETRYING,
  SLOW_OVERLAPS,
  UNANSWERED,
} from '../fault-plans.ts';

const NEXT = 'services/publisher/publish/next-step.ts';
const MACHINE = 'services/publisher/publish/machine.ts';
const ARMS = 'services/publisher/publish/arms.ts';
const TURN_SUITE = 'services/publisher/publish/turn-of-channel.test.ts';
const LEDGER = 'libs/tables/repositories/ledger.ts';

export const PUBLISHER: BugsOfRoom = {
  room: 'services/publisher',
  bugs: [
    {
      name: 'The clocks of two publishers count as no more than five seconds apart',
      edits: [
        {
          file: NEXT,
          find: 'return soleProcess === null && !isOwnArm ? MAX_APART_MS : 0;',
          replace: 'return soleProcess === null && !isOwnArm ? 5_000 : 0;',
        },
      ],
      suite: 'services/publisher/publish/next-step.test.ts',
    },
    {
      name: 'Every second Variant is rejected with nothing sent',
      edits: [
        {
          file: NEXT,
          find: "return now > latestStartOf(attempt) ? close(arm, MISSED_WINDOW) : { kind: 'get-tokens', arm };",
          replace:
            "if (job.dueAt % 2 === 1) return close(arm, failed({ reason: 'rejected_by_platform', detail: 'It was refused.' }));\n  return now > latestStartOf(attempt) ? close(arm, MISSED_WINDOW) : { kind: 'get-tokens', arm };",
        },
      ],
      faults: QUIET,
    },
    {
      name: 'Every second Variant fails as missed in the publisher',
      edits: [
        {
          file: NEXT,
          find: "return now > latestStartOf(attempt) ? close(arm, MISSED_WINDOW) : { kind: 'get-tokens', arm };",
          replace:
            "return now > latestStartOf(attempt) || job.dueAt % 2 === 1\n    ? close(arm, MISSED_WINDOW)\n    : { kind: 'get-tokens', arm };",
        },
      ],
      faults: QUIET,
    },
    {
      name: 'The Network is called before the arm is durable',
      edits: [
        {
          file: MACHINE,
          find: 'const isOurs = await this.#move(armedWith(this.#attempt.arm, arming), token);',
          replace:
            'const early = armedWith(this.#attempt.arm, arming);\n    this.#options.ledger.moveArm(this.#job.ledgerId, this.#attempt.row, early, token).catch(() => {});\n    this.#know({ row: { ...early, version: (this.#attempt.row?.version ?? 0) + 1, token }, arm: early });\n    const isOurs = true;',
        },
      ],
      faults: CRASHES_AND_REBALANCES,
    },
    {
      name: 'Jobs are sent twice, and no publisher sees the arm of another',
      edits: [
        {
          file: 'libs/outbox/relay.ts',
          find: 'effects.map((effect) => ({ key: effect.key,',
          replace:
            "(topic.startsWith('publish.') ? effects.flatMap((effect) => [effect, effect]) : effects).map((effect) => ({ key: effect.key,",
        },
        {
          file: LEDGER,
          find: 'const row = await store.read(PUBLISH_ARMS, [variantId], []);',
          replace: 'const row = await Promise.resolve<Awaited<ReturnType<typeof store.read>>>(null);',
        },
        {
          file: LEDGER,
          find: 'const isOurs = await settledWrite(store, PUBLISH_ARMS, write);',
          replace: 'const isOurs = await settledWrite(store, PUBLISH_ARMS, write).then(() => true);',
        },
      ],
    },
    {
      name: 'A publisher that lost the arm goes on as if it were its own',
      edits: [
        {
          file: LEDGER,
          find: 'const isOurs = await settledWrite(store, PUBLISH_ARMS, write);',
          replace: 'const isOurs = await settledWrite(store, PUBLISH_ARMS, write).then(() => true);',
        },
      ],
      faults: OVERLAPS,
    },
    {
      name: 'An attempt that is armed begins anew',
      edits: [
        {
          file: NEXT,
          find: "return isUnsent ? takeBack(row) : { kind: 'read-evidence', arm: row };",
          replace: 'return takeBack(row);',
        },
      ],
      faults: CUT_ANSWERS,
    },
    {
      name: 'An armed attempt is taken for not published, without asking the Network',
      edits: [
        {
          file: MACHINE,
          find: ': await adapter.reconcile(content, step.armed);',
          replace: ": ({ kind: 'absent', summary: { status: 0, detail: 'planted' } } as const);",
        },
      ],
      faults: { ...CUT_ANSWERS, crashAtCall: 0.03 },
    },
    {
      name: 'Evidence of what was published is never written',
      edits: [
        {
          file: NEXT,
          find: "return step !== 'prepare' || answer.summary.status !== 0 || answer.kind === 'failed';",
          replace:
            "return answer.kind !== 'published' && (step !== 'prepare' || answer.summary.status !== 0 || answer.kind === 'failed');",
        },
      ],
      faults: QUIET,
    },
    {
      name: 'The verdict is reported before the evidence is written',
      edits: [
        {
          file: MACHINE,
          find: 'this.#evidence = this.#writeEvidence(answered);',
          replace:
            "const { answer } = answered;\n    if (answer.kind === 'published') {\n      const { remoteId, permalink } = answer;\n      await this.#options.conclude(this.#job, { kind: 'published', remoteId, permalink });\n    }\n    this.#evidence = this.#writeEvidence(answered);",
        },
      ],
      faults: { ...UNANSWERED, crashAtCall: 0.04 },
    },
    {
      name: 'A retry after unconfirmed publishes without asking the Network',
      edits: [
        {
          file: ARMS,
          find: 'return job.reconcileFirst ? { ...next, earlier: mayBeLive(row) } : next;',
          replace: 'return next;',
        },
      ],
      faults: CUT_ANSWERS,
      actions: RETRYING,
    },
    {
      name: 'A sender that was held up sends after its deadline',
      edits: [
        {
          file: NEXT,
          find: 'return attempt.brake.isHeld || now >= finding.row.sendBefore || finding.armedForMs >= SEND_WITHIN_MS ? takeBack(finding.row)',
          replace: 'return attempt.brake.isHeld ? takeBack(finding.row)',
        },
      ],
      faults: PAUSES,
      parts: [],
      actions: { 'create now': 4, 'create later': 2 },
    },
    {
      name: 'A successor does not wait until the sender can not be at it any more',
      edits: [
        {
          file: NEXT,
          find: 'if (answer === undefined && now < quietAt) return tooSoon(job, quietAt, now);',
          replace: 'if (answer === undefined && now < quietAt && now < 0) return tooSoon(job, quietAt, now);',
        },
      ],
      faults: SLOW_OVERLAPS,
      parts: [],
      actions: { 'create now': 6 },
    },
    {
      name: 'What was published is reported as unconfirmed',
      edits: [
        {
          file: NEXT,
          find: "function afterReconcile(attempt: Attempt, ifAbsent: Failure | null, answer: ReconcileAnswer, now: number): Step { const { arm } = attempt; switch (answer.kind) { case 'published': return { kind: 'conclude', verdict: verdictOf(answer) };",
          replace:
            "function afterReconcile(attempt: Attempt, ifAbsent: Failure | null, answer: ReconcileAnswer, now: number): Step {\n  const { arm } = attempt;\n  switch (answer.kind) {\n    case 'published':\n      return close(arm, stillUnknown('planted'));",
        },
      ],
      faults: CUT_ANSWERS,
    },
    {
      name: 'Nothing that is held is seen',
      edits: [
        {
          file: MACHINE,
          find: 'this.#know({ brake: { isHeld: isHeld(periods, this.#job),',
          replace: 'this.#know({ brake: { isHeld: false,',
        },
      ],
      faults: HOLDS,
    },
    {
      name: 'The holds are not read again right before the call',
      edits: [
        {
          file: MACHINE,
          find: 'await this.#askBrake(HOLDS_AT_SEND_MAX_AGE_MS);',
          replace: 'await Promise.resolve();',
        },
      ],
      faults: HOLDS,
    },
    {
      name: 'A process that begins while something is held does not know of it',
      edits: [
        {
          file: 'libs/tables/repositories/publishing-brake.ts',
          find: 'return { known: await readHolds(this.#store), begunAt };',
          replace:
            'const all = await readHolds(this.#store);\n    this.#former ??= new Set(all.holds.map((hold) => `${hold.network} ${hold.workspaceId}`));\n    const isNew = (one: { readonly network: unknown; readonly workspaceId: unknown }): boolean => !this.#former!.has(`${one.network} ${one.workspaceId}`);\n    return { known: { ...all, holds: all.holds.filter(isNew), periods: all.periods.filter(isNew) }, begunAt };',
        },
        {
          file: 'libs/tables/repositories/publishing-brake.ts',
          find: '#last: Reading | null = null;',
          replace: '#former: ReadonlySet<string> | null = null;\n  #last: Reading | null = null;',
        },
      ],
      faults: HOLDS_AND_DEATHS,
    },
    {
      name: 'What is given back because of a hold is reported before its row is moved',
      edits: [
        {
          file: MACHINE,
          find: "if (!(await this.#move(arm))) return { kind: 'lost' }; await giveBack(this.#job);",
          replace: "await giveBack(this.#job);\n    if (!(await this.#move(arm))) return { kind: 'lost' };",
        },
      ],
      suite: 'services/publisher/publish/held.test.ts',
    },
    {
      name: 'A refusal that may pass is tried for ever',
      edits: [
        {
          file: NEXT,
          find: 'if (now + delayMs > Math.min(latestStartOf(attempt), giveUpAt)) return close(arm, failed(failure));',
          replace: '',
        },
      ],
      suite: 'services/publisher/publish/next-step.test.ts',
    },
    {
      name: 'A job that comes before its instant goes on at once',
      edits: [
        {
          file: NEXT,
          find: 'if (now < row.notBefore) return tooSoon(job, row.notBefore, now);',
          replace: '',
        },
      ],
      suite: 'services/publisher/publish/next-step.test.ts',
    },
    {
      name: 'A job that comes early sets a timer of a new instant each time',
      edits: [
        {
          file: 'libs/domain/workspace/woken-early.ts',
          find: 'roundUp(at - now + ON_THE_WAY_MS)',
          replace: '(at - now + ON_THE_WAY_MS)',
        },
      ],
      suite: 'libs/domain/workspace/woken-early.test.ts',
    },
    {
      name: 'A comment under a post that was deleted is tried for a day',
      edits: [{ file: NEXT, find: 'Math.min(latestStartOf(attempt), giveUpAt)', replace: 'latestStartOf(attempt)' }],
      suite: 'services/publisher/publish/next-step.test.ts',
    },
    {
      name: 'A watchdog looks once, and not again',
      edits: [
        {
          file: 'services/publisher/publish/service.ts',
          find: 'await setTimers(options, [watchdog.timer(job, options.clock.now() + WATCHDOG_MS)]);',
          replace: '',
        },
      ],
      faults: MANY_LOST_RECORDS,
      parts: [],
      actions: { 'create now': 2, 'change the plan': 3 },
    },
    {
      name: 'A refused token fails the Variant without a refresh',
      edits: [
        {
          file: NEXT,
          find: 'if (arm.refreshed) return needsReconnect(arm, failure.detail);',
          replace: 'if (now > 0) return needsReconnect(arm, failure.detail);',
        },
      ],
      suite: 'services/publisher/publish/machine.test.ts',
    },
    {
      name: 'A Variant is armed and sent while the one before it on its Channel is on its way',
      edits: [
        { file: MACHINE, find: 'this.#predecessor = context.predecessor;', replace: 'this.#predecessor = null;' },
      ],
      faults: QUIET,
    },
    {
      name: 'Variants of a Channel that are due together are sent beside each other',
      edits: [
        { file: MACHINE, find: 'this.#predecessor = context.predecessor;', replace: 'this.#predecessor = null;' },
      ],
      faults: QUIET,
      actions: { 'create in bulk': 1 },
    },
    {
      name: 'A first comment that is there is reported as failed',
      edits: [
        {
          file: 'services/publisher/publish/comment-attempts.ts',
          find: "{ ...about, status: 'published', permalink: verdict.permalink, detail: null }",
          replace: "{ ...about, status: 'failed', permalink: null, detail: 'It was refused.' }",
        },
      ],
      faults: QUIET,
    },
    {
      name: 'The next Variant of a Channel has its turn before the answer to the one before it is durable',
      edits: [
        {
          file: MACHINE,
          find: 'if (!this.#options.ledger.isInOrderWithLog) await this.#evidence;',
          replace:
            'if (givesTurn(answered, this.#attempt.restored)) this.#context.pass();\n        if (!this.#options.ledger.isInOrderWithLog) await this.#evidence;',
        },
      ],
      suite: TURN_SUITE,
    },
    {
      name: 'A Variant that was refused gives its turn to the next one before its refusal is dealt with',
      edits: [
        {
          file: 'services/publisher/publish/turn-of-channel.ts',
          find: "new Set<PublishAnswer['kind']>(['published', 'accepted']);",
          replace: "new Set<PublishAnswer['kind']>(['published', 'accepted', 'failed', 'unknown']);",
        },
      ],
      suite: TURN_SUITE,
    },
    {
      name: 'A Variant is sent though the Network asked for a pause when it took the one before',
      edits: [{ file: MACHINE, find: '&& isFresh && isAdmitted;', replace: '&& isFresh;' }],
      suite: TURN_SUITE,
    },
    {
      name: 'What was found out before a Channel had its turn counts however old it is',
      edits: [{ file: MACHINE, find: '&& isFresh && isAdmitted;', replace: '&& isAdmitted;' }],
      suite: TURN_SUITE,
    },
    {
      name: 'A run sends under an arm that another run of its process took back',
      edits: [{ file: ARMS, find: "if (this.#tokens.get(armToken) !== 'may be sent') return false;", replace: '' }],
      suite: 'services/publisher/publish/machine.test.ts',
    },
    {
      name: 'Of an allowance, uses that were taken together and not made in time are lost',
      edits: [
        {
          file: 'services/publisher/publish/quota.ts',
          find: '...(block !== undefined && block.left > 0 && { unused: { of: block, count: block.left } }),',
          replace: '',
        },
      ],
      faults: QUIET,
      parts: [],
      actions: { 'create many at once': 1 },
    },
  ],
};
