import type { BugsOfRoom } from '../planted-bug.ts';
import { CRASHES_AND_REBALANCES, UNANSWERED } from '../fault-plans.ts';

const CONSUMER = 'libs/consumer/keyed-consumer.ts';
const LANE = 'libs/consumer/key-lane.ts';
const PIPELINED_SUITE = 'libs/consumer/pipelined.test.ts';
const TRACKER = 'libs/consumer/offset-tracker.ts';

export const CONSUMER_ROOM: BugsOfRoom = {
  room: 'libs/consumer',
  bugs: [
    {
      name: 'Records are acknowledged as they arrive',
      edits: [
        {
          file: CONSUMER,
          find: 'const touched = new Set<KeyLane>();',
          replace: 'this.#subscription?.ack(source, records.at(-1)!.offset);\n    const touched = new Set<KeyLane>();',
        },
      ],
    },
    {
      name: 'Records are acknowledged before they are durable',
      edits: [
        {
          file: LANE,
          find: 'return this.partition.owned && (await this.#options.isDurable(offset)) && this.partition.owned;',
          replace: 'return this.partition.owned && offset >= 0;',
        },
      ],
      suite: 'libs/consumer/unsynced-records.test.ts',
    },
    {
      name: 'Offsets are acknowledged out of order',
      edits: [{ file: TRACKER, find: 'if (!isDone) break;', replace: 'if (!isDone) continue;' }],
      faults: CRASHES_AND_REBALANCES,
    },
    {
      name: 'A partition that was lost is acknowledged for all the same',
      edits: [
        {
          file: LANE,
          find: 'return this.partition.owned && (await this.#options.isDurable(offset)) && this.partition.owned;',
          replace: 'return this.#options.isDurable(offset);',
        },
        {
          file: CONSUMER,
          find: "if (!partition.owned || this.#mode === 'stopped') return;",
          replace: "if (this.#mode === 'stopped') return;",
        },
        {
          file: 'libs/consumer/owned-partition.ts',
          find: "assert(this.owned, 'a lost partition acknowledges nothing');",
          replace: '',
        },
      ],
      suite: 'libs/consumer/keyed-consumer.test.ts',
    },
    {
      name: 'Records of a key overtake those that failed before them',
      edits: [
        {
          file: LANE,
          find: "if (error instanceof TurnNeverCame) return { kind: 'lost' };",
          replace:
            "if (error instanceof TurnNeverCame) return { kind: 'lost' };\n        if (failures > 0) return { kind: 'done' };",
        },
      ],
      faults: UNANSWERED,
    },
    {
      name: 'What can not be handled at once is skipped while the store is away',
      edits: [
        {
          file: LANE,
          find: 'const expected = isUnavailable(error);',
          replace:
            "const expected = isUnavailable(error);\n        if (expected && failures > 2) return { kind: 'done' };",
        },
      ],
      suite: 'libs/consumer/keyed-consumer.test.ts',
    },
    {
      name: 'A handler that is redirected to another owner counts as done',
      edits: [
        {
          file: LANE,
          find: "if (outcome.kind === 'lost') return []; if (outcome.kind === 'done') return batch.map((record) => record.offset);",
          replace: "if (outcome.kind !== 'stuck') return batch.map((record) => record.offset);",
        },
        {
          file: CONSUMER,
          find: "if (!partition.owned || this.#mode === 'stopped') return;",
          replace: "if (this.#mode === 'stopped') return;",
        },
        {
          file: 'libs/consumer/owned-partition.ts',
          find: "assert(this.owned, 'a lost partition acknowledges nothing');",
          replace: '',
        },
      ],
      suite: 'libs/consumer/keyed-consumer.test.ts',
    },
    {
      name: 'The records of a parked key are not filed',
      edits: [{ file: LANE, find: 'await fileRecord(this.#ports.store, flag, record);', replace: '' }],
      faults: { crashAtCall: 0.06 },
    },
    {
      name: 'A record that ended its owners is skipped when its key goes on',
      edits: [
        {
          file: LANE,
          find: 'this.#queue.unshift(...batch.slice(stuck));',
          replace: 'this.#queue.unshift(...batch.slice(stuck + 1));',
        },
        {
          file: LANE,
          find: "await this.#whenAvailable(() => this.#park(ENDS_PROCESSES, 'vanished_owners')); return [];",
          replace:
            "await this.#whenAvailable(() => this.#park(ENDS_PROCESSES, 'vanished_owners'));\n      return [this.#queue.shift()!.offset];",
        },
      ],
      suite: 'libs/consumer/poison.test.ts',
    },
    {
      name: 'What comes behind a record that ended three owners is parked in its place',
      edits: [
        {
          file: LANE,
          find: 'offset >= condemned[0] && offset <= condemned[1]',
          replace: 'offset >= condemned[0]',
        },
      ],
      suite: 'libs/consumer/poison.test.ts',
    },
    {
      name: 'Records run before the parked keys of their partition are known',
      edits: [
        {
          file: LANE,
          find: "return this.#state === 'idle' && this.hasWork && this.partition.opened;",
          replace: "return this.#state === 'idle' && this.hasWork;",
        },
      ],
      faults: { crashAtCall: 0.06 },
    },
    {
      name: 'A caller is told that it was not done when the answer of the append is lost',
      edits: [
        {
          file: 'libs/commands/request-command.ts',
          find: "if (error instanceof PortError && error.kind === 'unknown') return;",
          replace:
            "if (error instanceof PortError && error.kind === 'unknown') throw new PortError('unavailable', 'planted');",
        },
      ],
      faults: UNANSWERED,
    },
    {
      name: 'A message whose append was refused counts as sent',
      edits: [
        {
          file: 'libs/commands/send-command.ts',
          find: '{ key: command.workspaceId, value: codec.encode(command), ...traceHeaders(command) }, ]);',
          replace:
            '{ key: command.workspaceId, value: codec.encode(command), ...traceHeaders(command) },\n  ]).catch(() => undefined);',
        },
      ],
      suite: 'libs/commands/send-command.test.ts',
    },
    {
      name: 'The record that is begun ahead is the newest of its key',
      edits: [
        {
          file: LANE,
          find: 'if (this.#ahead.offer(this.#queue[0])) this.#queue.shift();',
          replace: 'if (this.#ahead.offer(this.#queue.at(-1))) this.#queue.pop();',
        },
      ],
      suite: PIPELINED_SUITE,
    },
    {
      name: 'A consumer that drains ends beside a record that has its turn',
      edits: [
        { file: CONSUMER, find: "(this.#mode === 'running' || isHandedOver)", replace: "this.#mode === 'running'" },
      ],
      suite: PIPELINED_SUITE,
    },
    {
      name: 'A record that was begun ahead of one that is parked counts as done',
      edits: [
        {
          file: LANE,
          find: 'this.#queue.unshift(ahead.record); return [];',
          replace: 'return [ahead.record.offset];',
        },
      ],
      suite: PIPELINED_SUITE,
    },
    {
      name: 'A record that has to be handled again gives its turn to the next one',
      edits: [{ file: LANE, find: 'own.refuse();', replace: 'own.end();' }],
      suite: PIPELINED_SUITE,
    },
  ],
};
