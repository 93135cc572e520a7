import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { NETWORKS } from '#domain/network.ts';
import { FAILURE_REASONS, VARIANT_STATUSES } from '#schemas/http/variant-words.ts';
import type { MediaBody, PostBody, VariantBody } from '#domain/post/render.ts';
import type { VariantMetrics } from '#domain/variant/metrics.ts';
import type { OutcomeBody } from '#domain/workspace/events.ts';
import type { AttemptStep } from '#use-cases/dependencies.ts';
import { Attempt, MediaItem, Metrics, Network, Post, Variant, WebhookEvent } from './post-answers.ts';

/** `T` in depth without `readonly` and without the index signatures of loose schemas. */
type Fields<T> = T extends readonly (infer Item)[]
  ? Fields<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T as string extends Key ? never : Key]: Fields<T[Key]> }
    : T;
type Described<S extends z.ZodType> = Fields<z.output<S>>;

test('what is rendered has the fields that the schemas describe, each of the same type, no more and no fewer', () => {
  // These hold at compile time: tsc names the field that differs.
  expectTypeOf<Fields<PostBody>>().toEqualTypeOf<Described<typeof Post>>();
  expectTypeOf<Fields<VariantBody>>().toEqualTypeOf<Described<typeof Variant>>();
  expectTypeOf<Fields<MediaBody>>().toEqualTypeOf<Described<typeof MediaItem>>();
  expectTypeOf<Fields<VariantMetrics>>().toEqualTypeOf<Described<typeof Metrics>>();
  expectTypeOf<Fields<OutcomeBody>>().toEqualTypeOf<Described<typeof WebhookEvent>>();
  expectTypeOf<Omit<Fields<AttemptStep>, 'startedAt' | 'finishedAt'>>().toEqualTypeOf<
    Omit<Described<typeof Attempt>, 'startedAt' | 'finishedAt'>
  >();
  // @ts-expect-error: a field less is another shape
  expectTypeOf<Omit<Fields<PostBody>, 'via'>>().toEqualTypeOf<Described<typeof Post>>();

  expect(Network.options).toEqual(NETWORKS);
  expect(Variant.shape.status.options).toEqual(VARIANT_STATUSES);
  expect(Variant.shape.failureReason.unwrap().options).toEqual(FAILURE_REASONS);
});
