import { z } from 'zod';
import 'zod-openapi';
import { hasLongRunOfMarks, MAX_MARKS_IN_A_ROW } from './combining-marks.ts';
import { parseInstant } from './instant.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An id as clients send it: upper case is accepted and becomes lower case, as ids are stored. */
export const SentId = z
  .string('must be a UUID')
  .toLowerCase()
  .regex(UUID, 'must be a UUID')
  .meta({ format: 'uuid', override: ({ jsonSchema }) => void delete jsonSchema.pattern });

/** A date-time as clients send it; becomes milliseconds since the epoch. */
export const SentInstant = z
  .string('must be a date-time')
  .meta({ format: 'date-time' })
  .transform((text, context) => {
    const instant = parseInstant(text);
    if (instant !== null) return instant;
    context.issues.push({
      code: 'custom',
      message:
        'must be a real ISO 8601 date-time with a zone, such as 2026-05-01T09:00:00Z or 2026-05-01T11:00:00+02:00',
      input: text,
    });
    return z.NEVER;
  });

/**
 * A text of at most `maximum` characters (code points, as JSON Schema counts them) that stores and Networks keep as it
 * is, and that can be normalised in time that grows with its length.
 */
export function sentText(maximum: number) {
  return z
    .string('must be a string')
    .refine((text) => text.length <= maximum || (text.length <= 2 * maximum && codePoints(text) <= maximum), {
      error: `must have at most ${maximum.toLocaleString('en')} characters`,
      abort: true,
    })
    .refine((text) => !text.includes('\0'), 'contains U+0000')
    .refine((text) => text.isWellFormed(), 'contains half of a surrogate pair')
    .refine((text) => !hasLongRunOfMarks(text), `must have at most ${MAX_MARKS_IN_A_ROW} combining marks in a row`)
    .meta({ maxLength: maximum });
}

/** Counted without an array of the code points, which would take many times the memory of the text. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export const Id = z.string().meta({ format: 'uuid' });
export const Instant = z.string().meta({ format: 'date-time', description: 'UTC, with milliseconds' });
export const Uri = z.string().meta({ format: 'uri' });
// Without the bounds of a double that zod adds.
export const Whole = z
  .int()
  .meta({ override: ({ jsonSchema }) => void (delete jsonSchema.minimum, delete jsonSchema.maximum) });
