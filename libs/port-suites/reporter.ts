import { describe, expect, test } from 'vitest';
import type { Fact, Facts } from '#reporting/fact.ts';
import type { Reporter } from '#reporting/reporter.ts';

/** One event as it can be read back from where the adapter wrote it. */
export interface ReportedLine {
  readonly event: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** The message of a failure's error; null for a report. */
  readonly error: string | null;
}

export interface ReporterHarness {
  readonly reporter: Reporter;
  /** Everything reported so far, in order; facts as far as the adapter's format can hold them. */
  lines(): readonly ReportedLine[];
}

/** A reporter without the types of the catalogue: facts and errors come from outside, where no type checks them. */
export interface UntypedReporter {
  report(event: string, facts?: Facts): void;
  failure(event: string, error: unknown, facts?: Facts): void;
}

export function untyped(reporter: Reporter): UntypedReporter {
  return reporter as unknown as UntypedReporter;
}

/** Any value can be thrown: what code throws, and what no code should. */
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

/** None of them repeats, so that a reporter writes every one. */
const EVENTS = ['turn-committed', 'timers-fired', 'attempt-ended'];
const eventOf = (number: number): string => EVENTS[number % EVENTS.length]!;

/** The contract of every reporter: it keeps the order of events, and no event, fact or error makes it throw. */
export function reporterSuite(name: string, create: () => ReporterHarness): void {
  const open = () => {
    const { reporter, lines } = create();
    return { reporter: untyped(reporter), lines };
  };

  describe(name, () => {
    test('events come in order, with their facts', () => {
      const { reporter, lines } = open();
      for (let number = 0; number < 1_000; number++)
        reporter.report(eventOf(number), { number, odd: number % 2 === 1, none: null });
      expect(lines().map(({ event, facts }) => [event, facts['number'], facts['odd'], facts['none']])).toEqual(
        Array.from({ length: 1_000 }, (_, number) => [eventOf(number), number, number % 2 === 1, null]),
      );
    });

    test('an event needs no facts', () => {
      const { reporter, lines } = open();
      reporter.report('turn-committed');
      reporter.failure('key-lane-failed', new Error('broken'));
      expect(lines().map(({ event, error }) => [event, error === null])).toEqual([
        ['turn-committed', true],
        ['key-lane-failed', false],
      ]);
    });

    test('facts are copied when they are reported, and the object of the caller is not changed', () => {
      const { reporter, lines } = open();
      const facts: Record<string, Fact> = { state: 'before' };
      reporter.report('turn-committed', Object.freeze({ state: 'frozen' }));
      reporter.report('turn-committed', facts);
      facts['state'] = 'after';
      expect(lines().map((each) => each.facts['state'])).toEqual(['frozen', 'before']);
      expect(facts).toEqual({ state: 'after' });
    });

    test.each(ERRORS)('a failure may be %s', (_what, make, says) => {
      const { reporter, lines } = open();
      reporter.failure('key-lane-failed', make(), { consumer: 'workspace' });
      reporter.report('turn-committed');
      expect(lines().map(({ event }) => event)).toEqual(['key-lane-failed', 'turn-committed']);
      expect(lines()[0]!.error).toMatch(says);
      expect(lines()[0]!.facts).toMatchObject({ consumer: 'workspace' });
    });

    test.each(FACTS)('a fact may be %s', (_what, fact) => {
      const { reporter, lines } = open();
      reporter.report('timer-refused', { fact, kept: 1 });
      reporter.failure('key-lane-failed', new Error('with it'), { fact });
      reporter.report('turn-committed');
      expect(lines().map(({ event }) => event)).toEqual(['timer-refused', 'key-lane-failed', 'turn-committed']);
      expect(lines()[0]!.facts).toMatchObject({ kept: 1 });
    });

    test.each(['event', 'level', 'time', 'error', 'message', 'pid', '__proto__', 'constructor'])(
      'a fact called %s changes neither event nor error',
      (fact) => {
        const { reporter, lines } = open();
        reporter.report(
          'turn-committed',
          Object.fromEntries([
            [fact, 'forged'],
            ['kept', 1],
          ]),
        );
        expect(lines().map(({ event, error }) => [event, error])).toEqual([['turn-committed', null]]);
        expect(lines()[0]!.facts).toMatchObject({ kept: 1 });
      },
    );
  });
}
