import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PROCEDURE_CASES, furnish } from '#services/app/trpc/procedure-cases.fixture.ts';
import { TrpcHarness } from '#services/app/trpc/trpc-harness.fixture.ts';
import { answeredInTime, assertNoFault } from '../answers.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedBody, mutatedJson } from '../mutations.ts';

interface AppCall {
  readonly path: string;
  /** JSON, or for a mutation any text. */
  readonly input: string;
}

/** Not called: one streams for as long as a page is open, and the others would end the session. */
const LEFT_OUT = ['events', 'session.end', 'sessions.end', 'sessions.endAll'];
/** Of an input that stands in an address: Node takes 16 KB of headers. */
const MOST_IN_ADDRESS = 3_000;

export const appCalls = fuzzTarget<AppCall>({
  name: 'app-calls',
  holds: 'a call of the app is answered, and never by a 500',
  cases: 300,
  open: async () => {
    const harness = await TrpcHarness.open();
    const scenario = harness.workspace(1);
    const owner = await harness.browser(scenario, 'owner');
    const things = await furnish(harness, scenario);
    const paths = Object.keys(harness.procedures).filter((path) => !LEFT_OUT.includes(path));
    const inputs = fc.constantFrom(...paths).chain((path) => {
      const sample = { workspaceId: scenario.id, ...PROCEDURE_CASES[path]?.input?.(things) };
      const isQuery = harness.procedures[path] === 'query';
      const json = mutatedJson(fc.constant(sample)).map((value) => JSON.stringify(value) ?? 'null');
      const short = json.filter((text) => encodeURIComponent(text).length <= MOST_IN_ADDRESS);
      return fc.record({ path: fc.constant(path), input: isQuery ? short : mutatedBody(fc.constant(sample)) });
    });
    return {
      inputs,
      crashes: {
        'a refusal is so long that it is compressed': {
          path: 'webhooks.replay',
          input: `{"${'field'.repeat(2_000)}":{"__proto__":1}}`,
        },
      },
      sizeOf: ({ input }) => input.length,
      allowedMs: 150,
      check: async ({ path, input }) => {
        const isQuery = harness.procedures[path] === 'query';
        const sent = isQuery ? {} : { body: input };
        const { status } = await answeredInTime(harness.call(owner, path, isQuery ? JSON.parse(input) : null, sent));
        assert(status >= 200 && status < 500, `it was answered by ${status}`);
        assertNoFault(harness.reporter);
      },
      close: () => harness[Symbol.asyncDispose](),
    };
  },
});
