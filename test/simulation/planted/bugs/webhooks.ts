import { FAILING_READS, LEAPS, QUIET, STALLS, UNANSWERED, WITH_RECEIVERS } from '../fault-plans.ts';
import type { BugsOfRoom } from '../planted-bug.ts';

const ATTEMPTS = 'services/webhooks/attempts.ts';
const SERVICE_TEST = 'services/webhooks/service.test.ts';
const FAN_OUT_TEST = 'services/webhooks/fan-out.test.ts';
const CRASHES_TEST = 'services/webhooks/crashes.test.ts';

export const WEBHOOKS: BugsOfRoom = {
  room: 'services/webhooks',
  bugs: [
    {
      name: 'An attempt that was made is made again when its job comes again',
      edits: [
        {
          file: ATTEMPTS,
          find: "return standing.state === 'pending' && standing.attempt <= job.attempt ? round : null;",
          replace: "return standing.state === 'pending' ? round : null;",
        },
      ],
      suite: SERVICE_TEST,
    },
    {
      name: 'A delivery that succeeded is attempted again',
      edits: [
        {
          file: 'libs/domain/webhook/delivery.ts',
          find: "if (success !== null) return { state: 'succeeded', endedAt: success.finishedAt };",
          replace: '',
        },
      ],
      suite: SERVICE_TEST,
    },
    {
      name: 'A delivery is attempted for longer than a day',
      edits: [
        {
          file: 'libs/domain/webhook/schedule.ts',
          find: 'return at > firstStartedAt + TRIED_FOR_MS ? null : at;',
          replace: 'return at > firstStartedAt + 2 * TRIED_FOR_MS ? null : at;',
        },
      ],
      suite: SERVICE_TEST,
    },
    {
      name: 'A delivery that failed is not attempted again',
      edits: [
        {
          file: ATTEMPTS,
          find: 'await this.#whenAvailable(() => this.#options.setTimer(next));',
          replace: 'void next;',
        },
      ],
      suite: SERVICE_TEST,
    },
    {
      name: 'The outcome of an attempt is written before the timer of the next one is set',
      edits: [
        {
          file: ATTEMPTS,
          find: "if (standing.state === 'pending') {",
          replace:
            "await this.#whenAvailable(() => rows.keepAttempt(kept, attempt, token));\n    if (standing.state === 'pending') {",
        },
      ],
      suite: CRASHES_TEST,
    },
    {
      name: 'The log is not kept waiting, and no timer guards the attempt',
      edits: [
        {
          file: 'services/webhooks/dispatcher.ts',
          find: 'return pending.guard(job, () => this.#bringAgain(job, DEFERRAL));',
          replace: 'return;',
        },
      ],
      suite: CRASHES_TEST,
    },
    {
      name: 'The first attempt is appended before the rows of its delivery are written',
      edits: [
        {
          file: 'services/webhooks/fan-out.ts',
          find: '  await Promise.all(onTheirWay);\n  if (attempts',
          replace: '  void Promise.all(onTheirWay).catch(() => {});\n  if (attempts',
        },
      ],
      suite: CRASHES_TEST,
    },
    {
      name: 'Rows of deliveries count as in order with the log where log and store are apart',
      edits: [
        {
          file: 'libs/tables/repositories/deliveries.ts',
          find: "store.atom === 'store_and_log' && areTablesMade",
          replace: "store.atom !== 'store' && areTablesMade",
        },
      ],
      suite: FAN_OUT_TEST,
    },
    {
      name: 'An endpoint gets events of types that it did not ask for',
      edits: [
        {
          file: 'libs/domain/webhook/endpoint.ts',
          find: '.filter((endpoint) => isActive(endpoint) && endpoint.events.includes(type))',
          replace: '.filter((endpoint) => isActive(endpoint) && endpoint.events.length + type.length > 0)',
        },
      ],
      suite: 'libs/domain/workspace/decide/endpoints.test.ts',
    },
    {
      name: 'An endpoint that was stopped goes on getting events',
      edits: [
        {
          file: 'libs/domain/webhook/endpoint.ts',
          find: 'return endpoint !== undefined && endpoint.stoppedAt === null;',
          replace: 'return endpoint !== undefined;',
        },
      ],
      suite: SERVICE_TEST,
    },
    {
      name: 'The signature leaves out the instant',
      edits: [
        {
          file: 'libs/domain/webhook/signature.ts',
          find: "createHmac('sha256', secret).update(`${t}.`).update(body)",
          replace: "createHmac('sha256', secret).update(body)",
        },
      ],
      suite: 'libs/domain/webhook/signature.test.ts',
    },
    {
      name: 'What a receiver refused with is not written down',
      edits: [
        {
          file: 'services/webhooks/send-attempt.ts',
          find: "return { outcome: 'refused', status, error:",
          replace: "return { outcome: 'refused', status: null, error:",
        },
      ],
      ...{ faults: QUIET, parts: ['webhooks'], actions: WITH_RECEIVERS },
    },
    {
      name: 'Only the first endpoint of a Workspace hears of an event',
      edits: [
        {
          file: 'libs/domain/webhook/endpoint.ts',
          find: '.filter((endpoint) => isActive(endpoint) && endpoint.events.includes(type))',
          replace: '.filter((endpoint) => isActive(endpoint) && endpoint.events.includes(type))\n    .slice(0, 1)',
        },
      ],
      ...{ faults: QUIET, parts: ['webhooks'], actions: WITH_RECEIVERS },
    },
    {
      name: 'An event is signed with its secret without the prefix',
      edits: [
        {
          file: 'libs/domain/webhook/signature.ts',
          find: "createHmac('sha256', secret)",
          replace: "createHmac('sha256', secret.slice('whsec_'.length))",
        },
      ],
      ...{ faults: QUIET, parts: ['webhooks'], actions: WITH_RECEIVERS },
    },
    {
      name: 'Once a secret is rotated, the former one does not sign any more',
      edits: [
        {
          file: 'libs/domain/webhook/endpoint.ts',
          find: 'return secrets.filter(({ until }) => until === null || now < until);',
          replace: 'return secrets.filter(({ until }) => until === null || until < now - now);',
        },
      ],
      suite: 'libs/domain/workspace/decide/endpoints.test.ts',
    },
    {
      name: 'A redirect counts as delivered',
      edits: [
        {
          file: 'services/webhooks/send-attempt.ts',
          find: 'if (status >= 200 && status < 300)',
          replace: 'if (status >= 200 && status < 400)',
        },
      ],
      suite: SERVICE_TEST,
    },
    {
      name: 'Endpoints are remembered for a minute, so that a deleted one goes on getting events',
      edits: [
        {
          file: 'services/webhooks/service.ts',
          find: 'const endpointsOf = (workspaceId: string) => readEndpoints(options.store, workspaceId);',
          replace: `const seen = new Map<string, { readonly at: number; readonly found: ReturnType<typeof readEndpoints> }>();
  const endpointsOf = (workspaceId: string) => {
    const known = seen.get(workspaceId);
    if (known !== undefined && options.clock.monotonic() - known.at < 60_000) return known.found;
    const found = readEndpoints(options.store, workspaceId);
    seen.set(workspaceId, { at: options.clock.monotonic(), found });
    return found;
  };`,
        },
      ],
      ...{ faults: QUIET, parts: ['webhooks'], actions: WITH_RECEIVERS },
    },
    {
      name: 'The outcome of an attempt that can not be written at once is given up',
      edits: [
        {
          file: ATTEMPTS,
          find: 'await this.#whenAvailable(() => rows.keepAttempt(kept, attempt, token));',
          replace: 'await rows.keepAttempt(kept, attempt, token).catch(() => {});',
        },
      ],
      ...{ faults: UNANSWERED, parts: ['webhooks'], actions: WITH_RECEIVERS },
    },
    {
      name: 'Deliveries that could not be taken in are acknowledged with their batch',
      edits: [
        {
          file: 'services/webhooks/service.ts',
          find: 'if (failed !== undefined) throw failed.reason;',
          replace: 'void failed;',
        },
      ],
      ...{ faults: STALLS, parts: ['webhooks'], actions: WITH_RECEIVERS },
    },
    {
      name: 'An attempt whose rows could not be read counts as made',
      edits: [
        {
          file: 'services/webhooks/dispatcher.ts',
          find: 'pending.fail(error);',
          replace: 'pending.succeed();',
        },
      ],
      ...{ faults: FAILING_READS, parts: ['webhooks'], actions: WITH_RECEIVERS },
    },
    {
      name: 'Of events of a Workspace that come together only the first becomes deliveries',
      edits: [
        {
          file: 'services/webhooks/fan-out.ts',
          find: 'const wanted = outcomes.filter((outcome) => outcome.endpointIds.length > 0 && !isTooOld(options, outcome));',
          replace:
            'const wanted = outcomes.filter((outcome) => outcome.endpointIds.length > 0 && !isTooOld(options, outcome)).slice(0, 1);',
        },
      ],
      ...{ faults: QUIET, parts: ['webhooks'], actions: WITH_RECEIVERS },
    },
    {
      name: 'A retry whose timer a leading clock fires is made at once',
      edits: [
        {
          file: ATTEMPTS,
          find: 'if (at - startedAt > CLOCK_SKEW_MS)',
          replace: 'if (at < CLOCK_SKEW_MS)',
        },
      ],
      ...{ faults: LEAPS, parts: ['webhooks'], actions: WITH_RECEIVERS },
    },
    {
      name: 'An endpoint that was deleted is shown until another change to endpoints',
      edits: [
        {
          file: 'libs/domain/workspace/decide/endpoints.ts',
          find: 'return withEndpoints(state, others);',
          replace: 'return done({ ...state, endpoints: others }, []);',
        },
      ],
      ...{ faults: QUIET, parts: ['webhooks'], actions: WITH_RECEIVERS },
    },
    {
      name: 'A retry is made at once where the outcome of the attempt before it is not written yet',
      edits: [{ file: ATTEMPTS, find: 'Math.max(standing.at, job.dueAt)', replace: 'standing.at' }],
      suite: SERVICE_TEST,
    },
  ],
};
