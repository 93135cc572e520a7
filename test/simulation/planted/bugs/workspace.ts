import type { BugsOfRoom } from '../planted-bug.ts';
import {
  CRASHES_AND_REBALANCES,
  FULL_DISKS,
  IN_BULK,
  LOST_RECORDS,
  OUTAGES,
  OVERLAPS,
  QUIET,
  SMALL_BATCHES,
  UNANSWERED,
} from '../fault-plans.ts';

const ACTOR = 'services/workspace/actor.ts';
const ACTOR_TEST = 'services/workspace/actor.test.ts';
const TURN = 'services/workspace/turn.ts';
const EFFECTS = 'services/workspace/compile-effects.ts';

export const WORKSPACE: BugsOfRoom = {
  room: 'services/workspace',
  bugs: [
    {
      name: 'A new owner does not look up digests of Posts that were made before it',
      edits: [
        {
          file: 'services/workspace/recent-digests.ts',
          find: 'return load.digestsFrom < since ? null : undefined;',
          replace: 'return null;',
        },
      ],
    },
    {
      name: 'A Workspace remembers neither results of requests nor the digests of Posts',
      edits: [
        {
          file: ACTOR,
          find: 'return readWrittenResult(this.#options.store, this.#id, command.requestId);',
          replace: 'return null;',
        },
        {
          file: 'libs/tables/repositories/post-digests.ts',
          find: 'return row === null ? null : decodeBody<PostDigest>(row);',
          replace: 'return row === null ? null : null;',
        },
      ],
    },
    {
      name: 'Results are not written with the head',
      edits: [{ file: TURN, find: 'rows.push(row);', replace: '' }],
      faults: { ...CRASHES_AND_REBALANCES, hintLost: 0.9 },
    },
    {
      name: 'A new owner does not carry out the outbox of the last turn',
      edits: [
        {
          file: ACTOR,
          find: 'if (head !== null && head.pending !== null) await relayPending(',
          replace: 'if (head === undefined) await relayPending(',
        },
      ],
    },
    {
      name: 'A turn that another owner overtook counts as committed',
      edits: [{ file: ACTOR, find: 'return outcome.applied ? head : null;', replace: 'return head;' }],
      faults: OVERLAPS,
    },
    {
      name: 'The head is written over any version',
      edits: [
        {
          file: ACTOR,
          find: 'const outcome = await store.compareAndSet(WORKSPACES, {',
          replace:
            'const present = await readHead(store, this.#id, { serial: true });\nconst outcome = await store.compareAndSet(WORKSPACES, {',
        },
        { file: ACTOR, find: 'expected: over?.version ?? null,', replace: 'expected: present?.version ?? null,' },
        {
          file: ACTOR,
          find: 'next: { version, token, body: bytes, format },',
          replace: 'next: { version: (present?.version ?? 0) + 1, token, body: bytes, format },',
        },
      ],
      faults: OVERLAPS,
    },
    {
      name: 'A compare-and-set without an answer counts as taken',
      edits: [
        {
          file: ACTOR,
          find: "if (current?.token === over?.token) throw new PortError('unavailable', `the turn over version ${version - 1} was not taken`, { cause: error });\n return current?.token === token ? current : null;",
          replace: 'return current === null ? null : { ...head, version: current.version };',
        },
      ],
      faults: UNANSWERED,
    },
    {
      name: 'A turn that changes nothing does not read whether another owner has replaced the head',
      edits: [
        {
          file: ACTOR,
          find: 'const mayBeOld = !turn.isChanged && loaded === known;',
          replace: 'const mayBeOld = false;',
        },
      ],
      suite: ACTOR_TEST,
    },
    {
      name: 'A command whose issuer has a clock far ahead counts as new to an owner who has just loaded the Workspace',
      edits: [{ file: ACTOR, find: 'loaded.at + MAX_APART_MS', replace: 'loaded.at + 5_000' }],
      suite: ACTOR_TEST,
    },
    {
      name: 'A result that another owner has just written is answered before the rows of its turn are',
      edits: [{ file: ACTOR, find: 'if (wasRead && (await this.#isOvertaken(loaded))) return null;', replace: '' }],
      suite: ACTOR_TEST,
    },
    {
      name: 'An overtaken owner keeps the head that it had',
      edits: [
        {
          file: ACTOR,
          find: "this.#options.reporter.report('turn-lost', { workspaceId: this.#id, version: head?.version ?? 0 }); this.forget();",
          replace:
            "this.#options.reporter.report('turn-lost', { workspaceId: this.#id, version: head?.version ?? 0 });",
        },
      ],
      faults: OVERLAPS,
    },
    {
      name: 'A turn that the store refuses for its size is tried with a single step, which is then refused unasked',
      edits: [
        {
          file: 'services/workspace/turn-limit.ts',
          find: 'if (handled === 1) return',
          replace: 'if (handled > 0) return',
        },
      ],
      faults: SMALL_BATCHES,
      actions: IN_BULK,
    },
    {
      name: 'What the store refuses for its size counts as handled',
      edits: [
        {
          file: ACTOR,
          find: "if (outcome === 'overtaken' || outcome instanceof PortError) return again(nextLimit);",
          replace:
            "if (outcome instanceof PortError) return { steps: turn.remaining, limit: nextLimit };\nif (outcome === 'overtaken') return again(nextLimit);",
        },
      ],
      faults: SMALL_BATCHES,
      actions: IN_BULK,
    },
    {
      name: 'A turn that the store refuses for its size fails as one that it could not take at the moment',
      edits: [
        {
          file: ACTOR,
          find: "if (error instanceof PortError && error.kind === 'refused') return error;",
          replace: '',
        },
      ],
      faults: SMALL_BATCHES,
      actions: IN_BULK,
    },
    {
      name: 'A request that comes again is refused',
      edits: [
        {
          file: ACTOR,
          find: 'this.#options.answer(step.replyTo, { requestId: step.requestId, result });',
          replace:
            "{\n        const refusal = { ok: false, code: 'invalid_request', message: 'It was sent before.' } as const;\n        this.#options.answer(step.replyTo, { requestId: step.requestId, result: refusal });\n      }",
        },
      ],
      faults: QUIET,
    },
    {
      name: 'Answers go out before the compare-and-set',
      edits: [
        {
          file: ACTOR,
          find: 'const head = await this.#compareAndSet(write, loaded.head).catch(refusal);',
          replace:
            'this.#answerAll(turn.answers);\nconst head = await this.#compareAndSet(write, loaded.head).catch(refusal);',
        },
      ],
      faults: { ...UNANSWERED, crashAtCall: 0.03 },
    },
    {
      name: 'Commands that the log took back are carried out',
      edits: [{ file: ACTOR, find: 'if (!standing.isOurs()) throw', replace: 'if (turn.handled < 0) throw' }],
      faults: FULL_DISKS,
    },
    {
      name: 'What is answered without a write does not wait for its command',
      edits: [
        {
          file: ACTOR,
          find: "if (outcome === 'unchanged') { await standing.durable();",
          replace: "if (outcome === 'unchanged') {",
        },
      ],
      suite: ACTOR_TEST,
    },
    {
      name: 'Answers go out before the rows that readers see',
      edits: [
        {
          file: ACTOR,
          find: '// Rows before answers and messages: who gets one of those reads the rows.',
          replace: 'this.#answerAll(turn.answers);',
        },
      ],
      faults: { ...UNANSWERED, crashAtCall: 0.03 },
    },
    {
      name: 'The outbox counts as carried out before it is',
      edits: [
        {
          file: ACTOR,
          find: "this.#enter('relaying'); this.#isRelayed = false;",
          replace: "this.#enter('relaying');",
        },
      ],
      faults: UNANSWERED,
    },
    {
      name: 'The outbox is emptied though relaying it failed',
      edits: [
        {
          file: ACTOR,
          find: 'await relayPending(this.#options, await attachEventBodies(store, this.#id, head.pending), head.version);',
          replace:
            'await relayPending(this.#options, await attachEventBodies(store, this.#id, head.pending), head.version).catch(() => {});',
        },
      ],
      faults: { ...UNANSWERED, crashAtCall: 0.02 },
    },
    {
      name: 'Commands are carried out after their notAfter',
      edits: [
        {
          file: TURN,
          find: 'const expired = isRequested(command) && now > command.notAfter && !(state !== null && isBegun(state, command));',
          replace: 'const expired = false;',
        },
      ],
      faults: OUTAGES,
      parts: [],
      actions: { 'create many at once': 3, 'create in bulk': 1 },
    },
    {
      name: 'A turn that is cut loses what it had no room for',
      edits: [
        {
          file: TURN,
          find: 'remaining: [...remaining, ...input.steps.slice(handled)],',
          replace: 'remaining: [...remaining, ...steps.slice(handled)],',
        },
      ],
      faults: SMALL_BATCHES,
    },
    {
      name: 'What is left of one command drops the commands behind it',
      edits: [
        {
          file: TURN,
          find: 'remaining: [...remaining, ...input.steps.slice(handled)],',
          replace: 'remaining: remaining.length > 0 ? remaining : input.steps.slice(handled),',
        },
      ],
      suite: 'services/workspace/sizes.test.ts',
    },
    {
      name: 'All callers of a turn get the answer of its last command',
      edits: [
        {
          file: ACTOR,
          find: 'for (const { replyTo, answer } of answers) this.#options.answer(replyTo, answer);',
          replace:
            'for (const { replyTo, answer } of answers) this.#options.answer(replyTo, { ...answers.at(-1)!.answer, requestId: answer.requestId });',
        },
      ],
    },
    {
      name: 'The job of a Variant is never sent, so that only its watchdog publishes it',
      edits: [
        {
          file: EFFECTS,
          find: 'messages.push(inTrace(jobMessage(effect, context.state.id), trace)); timers',
          replace:
            "if (effect.kind !== 'publish') messages.push(inTrace(jobMessage(effect, context.state.id), trace));\ntimers",
        },
      ],
      faults: QUIET,
    },
    {
      name: 'The job of a Variant is never sent, and its watchdog looks after an hour and a half',
      edits: [
        {
          file: EFFECTS,
          find: 'messages.push(inTrace(jobMessage(effect, context.state.id), trace)); timers',
          replace:
            "if (effect.kind !== 'publish') messages.push(inTrace(jobMessage(effect, context.state.id), trace));\ntimers",
        },
        {
          file: 'libs/outbox/publish-messages.ts',
          find: 'export const WATCHDOG_MS = 10 * 60_000;',
          replace: 'export const WATCHDOG_MS = 90 * 60_000;',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'No watchdog is set for an attempt',
      edits: [
        {
          file: EFFECTS,
          find: "if (effect.kind === 'publish') return [publishTimer(effect.job, 'watchdog', now + WATCHDOG_MS)];",
          replace: '',
        },
      ],
      faults: LOST_RECORDS,
    },
    {
      name: 'What timers fired for is not looked at again',
      edits: [
        {
          file: 'services/workspace/lost-work.ts',
          find: 'return variants.length === 0 ? [] :',
          replace: 'return variants.length >= 0 ? [] :',
        },
      ],
      faults: LOST_RECORDS,
    },
    {
      name: 'The row of the week in which a Post is due is never written',
      edits: [
        {
          file: 'services/workspace/place-rows.ts',
          find: "(!known[index]!.isListed && period.kind !== 'audit'),",
          replace: "(!known[index]!.isListed && period.kind === 'written'),",
        },
      ],
    },
    {
      name: 'Rows of an older owner win over newer ones',
      edits: [
        {
          file: 'libs/tables/rows/pending-effects.ts',
          find: 'return TURN_EPOCH + version;',
          replace: 'return TURN_EPOCH - version;',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'The event of a Variant shows it as it was before',
      edits: [
        {
          file: 'libs/domain/workspace/decide/publish-reports.ts',
          find: "{ kind: 'outcome', post: change.post, variant: number, at: now },",
          replace: "{ kind: 'outcome', post, variant: number, at: now },",
        },
      ],
      faults: QUIET,
    },
    {
      name: 'Each carrying out of a turn makes events of its own',
      edits: [
        {
          file: 'libs/outbox/relay.ts',
          find: 'return [...Map.groupBy(messages, ({ topic }) => topic)].map(([topic, effects]) => ({',
          replace:
            "const told = messages.map((effect) =>\n    'eventId' in effect.message\n      ? { ...effect, message: { ...effect.message, eventId: `${effect.message.eventId.slice(0, -4)}${(++sent % 10_000).toString().padStart(4, '0')}` } }\n      : effect,\n  );\n  return [...Map.groupBy(told, ({ topic }) => topic)].map(([topic, effects]) => ({",
        },
        {
          file: 'libs/outbox/relay.ts',
          find: 'export function recordsOf(',
          replace: 'let sent = 0;\nexport function recordsOf(',
        },
      ],
      faults: CRASHES_AND_REBALANCES,
    },
  ],
};
