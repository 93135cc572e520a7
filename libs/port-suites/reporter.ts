import { describe, expect, test } from 'vitest';
import type { Fact, Reporter } from '#ports/reporter.ts';

/** One event as it can be read back from wherever an adapter puts it. */
export interface ReportedLine {
  readonly event: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** Of a failure: what the error says. Null for reports. */
  readonly error: string | null;
}

export interface ReporterHarness {
  readonly reporter: Reporter;
  /** Everything told so far, in order; facts as far as the adapter's form can hold them. */
  told(): readonly ReportedLine[];
}

/** Whatever code may throw, and what nobody would. */
const ERRORS: readonly (readonly [what: string, make: () => unknown, says: RegExp])[] = [
  ['an Error', () => new Error('broken'), /broken/],
  [
    'an Error with causes behind it',
    () => new Error('outer', { cause: new Error('inner', { cause: 'innermost' }) }),
    /outer/,
  ],
  [
    'an Error that is its own cause',
    () =>
      Object.assign(new Error('round'), {
        get cause(): unknown {
          return this;
        },
      }),
    /round/,
  ],
  ['several at once', () => new AggregateError([new Error('one'), new Error('two')], 'both'), /both/],
  ['words', () => 'just words', /just words/],
  ['a number', () => 17, /17/],
  ['nothing', () => undefined, /undefined/],
  ['null', () => null, /null/],
  ['a symbol', () => Symbol('odd'), /odd/],
  ['an object without a prototype', () => Object.create(null) as unknown, /./],
  [
    'an object that names itself',
    () => {
      const self: Record<string, unknown> = {};
      self['self'] = self;
      return self;
    },
    /./,
  ],
  [
    'an object whose words throw',
    () => ({
      toString: () => {
        throw new Error('no words');
      },
    }),
    /./,
  ],
  [
    'an Error whose message throws',
    () =>
      Object.defineProperty(new Error('hidden'), 'message', {
        get: () => {
          throw new Error('no message');
        },
      }),
    /./,
  ],
];

const FACTS: readonly (readonly [what: string, fact: Fact])[] = [
  ['no value', undefined],
  ['a line break', 'one\ntwo\r\nthree'],
  ['half of a pair of surrogates', 'lone \ud800 surrogate'],
  ['a null character', 'a\u0000b'],
  ['what looks like another line', '"}\n{"event":"forged"'],
  ['a megabyte', 'x'.repeat(1_000_000)],
  ['no number', Number.NaN],
  ['a number without end', Number.POSITIVE_INFINITY],
];

/**
 * What every reporter promises: it takes whatever it is told, in order, and lets nothing of it back out as an error.
 */
export function reporterSuite(name: string, create: () => ReporterHarness): void {
  describe(name, () => {
    test('events come in order, with their facts', () => {
      const { reporter, told } = create();
      for (let number = 0; number < 1_000; number++)
        reporter.report(`event-${number % 3}`, { number, odd: number % 2 === 1, none: null });
      expect(told().map(({ event, facts }) => [event, facts['number'], facts['odd'], facts['none']])).toEqual(
        Array.from({ length: 1_000 }, (_, number) => [`event-${number % 3}`, number, number % 2 === 1, null]),
      );
    });

    test('an event needs no facts', () => {
      const { reporter, told } = create();
      reporter.report('alone');
      reporter.failure('lane-broke', new Error('alone'));
      expect(told().map(({ event, error }) => [event, error === null])).toEqual([
        ['alone', true],
        ['lane-broke', false],
      ]);
    });

    test("what is told is what was so at that moment, and the facts stay the caller's own", () => {
      const { reporter, told } = create();
      const facts: Record<string, Fact> = { state: 'before' };
      reporter.report('moved', Object.freeze({ state: 'frozen' }));
      reporter.report('moved', facts);
      facts['state'] = 'after';
      expect(told().map((each) => each.facts['state'])).toEqual(['frozen', 'before']);
      expect(facts).toEqual({ state: 'after' });
    });

    test.each(ERRORS)('a failure may be %s', (_what, make, says) => {
      const { reporter, told } = create();
      reporter.failure('lane-broke', make(), { consumer: 'workspace' });
      reporter.report('after');
      expect(told().map(({ event }) => event)).toEqual(['lane-broke', 'after']);
      expect(told()[0]!.error).toMatch(says);
      expect(told()[0]!.facts).toMatchObject({ consumer: 'workspace' });
    });

    test.each(FACTS)('a fact may be %s', (_what, fact) => {
      const { reporter, told } = create();
      reporter.report('odd-fact', { fact, kept: 1 });
      reporter.failure('lane-broke', new Error('with it'), { fact });
      reporter.report('after');
      expect(told().map(({ event }) => event)).toEqual(['odd-fact', 'lane-broke', 'after']);
      expect(told()[0]!.facts).toMatchObject({ kept: 1 });
    });

    test.each(['event', 'level', 'time', 'error', 'message', 'pid', '__proto__', 'constructor'])(
      'a fact called %s does not change what happened',
      (fact) => {
        const { reporter, told } = create();
        reporter.report(
          'named-so',
          Object.fromEntries([
            [fact, 'forged'],
            ['kept', 1],
          ]),
        );
        expect(told().map(({ event, error }) => [event, error])).toEqual([['named-so', null]]);
        expect(told()[0]!.facts).toMatchObject({ kept: 1 });
      },
    );
  });
}
