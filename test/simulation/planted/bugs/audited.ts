import type { BugsOfRoom } from '../planted-bug.ts';
import {
  CLOCKS_PUT_BACK,
  CUT_ANSWERS,
  FULL_OF_KEYS,
  LEAPS_OFTEN,
  LOOSE_CLOCKS,
  LOST_RECORDS,
  MANY_LOST_RECORDS,
  QUIET,
  REFUSED_WRITES,
  RETRYING,
  STALLS,
  WITH_FILES,
} from '../fault-plans.ts';

/** What an audit found wrong in the code, and what was mended since, put back. */
export const AUDITED: BugsOfRoom = {
  room: 'defects that an audit found',
  chosenBy:
    'A reader who had written neither the code nor its checks found them in the code; they were mended, and are put back here.',
  bugs: [
    {
      name: 'A timer that is set again with another message has the id of the former one',
      edits: [
        {
          file: 'libs/tables/repositories/due.ts',
          find: 'const id = `${name} ${digest.slice(0, DIGEST_CHARACTERS)}`;',
          replace: "const id = `${name} ${'x'.repeat(digest.length > 0 ? DIGEST_CHARACTERS : 0)}`;",
        },
      ],
      faults: LEAPS_OFTEN,
      parts: [],
      actions: { 'create later': 5, cancel: 1, 'disconnect and reconnect': 1 },
    },
    {
      name: 'Nobody looks for work that the log lost',
      edits: [
        {
          file: 'services/workspace/lost-work.ts',
          find: 'if (!this.#isStopped) this.#cancel = this.#options.clock.after(LOOK_MS, () => void this.#look());',
          replace: '',
        },
      ],
      faults: LOST_RECORDS,
    },
    {
      name: 'The step of a sweep that the log lost is not sent again',
      edits: [
        {
          file: 'services/workspace/own-steps.ts',
          find: '...sweeps.map((sweep) => sweepStep(id, sweep)),',
          replace: '...sweeps.slice(0, 0).map((sweep) => sweepStep(id, sweep)),',
        },
      ],
      faults: LOST_RECORDS,
      actions: { 'create later': 4, 'create far ahead': 2, 'disconnect and reconnect': 4 },
    },
    {
      name: 'A Workspace grows until the store refuses its head',
      edits: [
        {
          file: 'services/workspace/turn-size.ts',
          find: 'return bytes > MAX_STATE_BYTES && commands.some((command) => adds(command, before))',
          replace: 'return bytes > 4 * MAX_STATE_BYTES && commands.some((command) => adds(command, before))',
        },
      ],
      faults: QUIET,
      actions: FULL_OF_KEYS,
    },
    {
      name: 'Keys that were revoked stay in the state for ever',
      edits: [
        {
          file: 'libs/domain/workspace/room.ts',
          find: 'const keys = without(state.keys, oldest(state.keys, isOfNoUse));',
          replace: 'const { keys } = state;',
        },
      ],
      faults: QUIET,
      actions: FULL_OF_KEYS,
    },
    {
      name: 'A Variant whose files become ready within the skew before its instant is published at once',
      edits: [
        {
          file: 'libs/domain/workspace/decide/media-reports.ts',
          find: 'return dueAt <= now || scheduledAt === null || attempt > 1;',
          replace: 'return dueAt - CLOCK_SKEW_MS <= now || scheduledAt === null || attempt > 1;',
        },
      ],
      faults: { ...STALLS, blowEveryMs: 4_000 },
      parts: ['media'],
      actions: { 'create with files': 1 },
    },
    {
      name: 'A change of a Plan that the log lost is not looked for',
      edits: [
        {
          file: 'services/workspace/lost-work.ts',
          find: "else if (message.type === 'PlanDue') plans.push({ timer, message });",
          replace: '',
        },
      ],
      faults: MANY_LOST_RECORDS,
      parts: [],
      actions: { 'create now': 2, 'change the plan': 3 },
    },
    {
      name: 'The timer of files that a leading clock fires is set again for the instant that it had',
      edits: [
        {
          file: 'libs/domain/workspace/decide/files-due.ts',
          find: 'effects: [timer(post, command.dueAt, againAt(command.dueAt, now))]',
          replace: 'effects: [timer(post, command.dueAt, command.dueAt)]',
        },
      ],
      faults: LOOSE_CLOCKS,
      parts: ['media'],
      actions: WITH_FILES,
    },
    {
      name: 'The deadline of a sender goes by the wall clock alone',
      edits: [
        {
          file: 'services/publisher/publish/next-step.ts',
          find: 'now >= finding.row.sendBefore || finding.armedForMs >= SEND_WITHIN_MS',
          replace: 'now >= finding.row.sendBefore',
        },
      ],
      faults: CLOCKS_PUT_BACK,
      parts: [],
      actions: { 'create now': 4, 'create later': 2 },
    },
    {
      name: 'What a Network answered is forgotten when its evidence can not be written',
      edits: [
        {
          file: 'services/publisher/publish/machine.ts',
          find: "if (answered.step === 'publish') this.#memory.unwritten.add(evidence);",
          replace: '',
        },
      ],
      faults: REFUSED_WRITES,
      parts: [],
      actions: { 'create now': 4, 'create later': 2 },
    },
    {
      name: 'A retry after unconfirmed that fails gives back the credit of what may be live',
      edits: [
        {
          file: 'libs/domain/variant/moves.ts',
          find: 'creditReserved: (isUnconfirmed || variant.reconcileFirst) && variant.creditReserved',
          replace: 'creditReserved: isUnconfirmed && variant.creditReserved',
        },
      ],
      faults: CUT_ANSWERS,
      parts: [],
      actions: { ...RETRYING, 'disconnect and reconnect': 2 },
    },
    {
      name: 'An outbox that is carried out after a month makes its deliveries anew',
      edits: [
        {
          file: 'services/webhooks/fan-out.ts',
          find: 'if (!isForgotten(createdAt, clock.now())) return false;',
          replace: 'if (!isForgotten(createdAt, clock.now()) || createdAt > 0) return false;',
        },
      ],
      faults: {},
      parts: ['webhooks'],
      actions: { 'create now': 2 },
    },
    {
      name: 'Minutes are dropped a day behind the watermark, however far a clock leapt',
      edits: [
        {
          file: 'services/scheduler/watermarks.ts',
          find: 'const dropped = Math.min(minute, Math.max(row.dropped, old.at(-1)?.minute ?? 0));',
          replace: 'const dropped = Math.max(row.dropped, minute - KEEP_MS / 60_000);',
        },
      ],
      faults: LEAPS_OFTEN,
      parts: [],
      actions: { 'create later': 4, 'create far ahead': 1 },
    },
    {
      name: 'After a restore a Post that may be live is moved',
      edits: [
        {
          file: 'libs/domain/workspace/decide/replaced-post.ts',
          find: 'mayBePublishedElsewhere(restoration, variant, now)',
          replace: 'mayBePublishedElsewhere(null, variant, now)',
        },
      ],
      suite: 'test/simulation/restored.test.ts',
    },
    {
      name: 'After a restore what may be live fails for want of a reconnect',
      edits: [
        {
          file: 'libs/domain/workspace/decide/come-due.ts',
          find: 'if (!mayBePublishedElsewhere(restoration, variant, now)) return markFailed',
          replace: 'if (!mayBePublishedElsewhere(null, variant, now)) return markFailed',
        },
      ],
      suite: 'test/simulation/restored.test.ts',
    },
  ],
};
