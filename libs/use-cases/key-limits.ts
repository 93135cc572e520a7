import { z } from 'zod';
import { isoOrNull } from '#domain/post/render.ts';
import type { KeyLimits } from '#domain/workspace/state.ts';
import { isAddressRange } from '#ports/address-ranges.ts';
import { SentInstant } from '#schemas/http/scalars.ts';

/** What a key may be created with, beside its permissions; all of it may be left out. */
export const SENT_KEY_LIMITS = {
  expiresAt: SentInstant.nullable().default(null),
  readOnly: z.boolean('must be true or false').default(false),
  allowedIps: z
    .array(
      z
        .string('must be a string')
        .trim()
        .refine(isAddressRange, 'must be an address or a range, such as 203.0.113.7 or 203.0.113.0/24'),
    )
    .max(50, 'must have at most 50 addresses and ranges')
    .default([]),
};

/** As `CreateKey` takes them: nothing where there is no limit. */
export function limitsOf({ expiresAt, readOnly, allowedIps }: KeyLimits): { readonly limits?: KeyLimits } {
  const isLimited = expiresAt !== null || readOnly || allowedIps.length > 0;
  return isLimited ? { limits: { expiresAt, readOnly, allowedIps } } : {};
}

/** The limits of a key as answers show them. */
export function shownLimits(limits: KeyLimits | undefined): {
  readonly expiresAt: string | null;
  readonly readOnly: boolean;
  readonly allowedIps: string[];
} {
  return {
    expiresAt: isoOrNull(limits?.expiresAt ?? null),
    readOnly: limits?.readOnly ?? false,
    allowedIps: [...(limits?.allowedIps ?? [])],
  };
}
