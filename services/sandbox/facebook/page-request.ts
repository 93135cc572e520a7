import type { SandboxAnswer, Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { GrantHolder } from '../grants.ts';
import type { Limits } from '../limits.ts';
import type { SimulatorOptions } from '../simulator.ts';
import type { Uses } from '../uses.ts';
import type { FacebookRecords } from './records.ts';

/**
 * Limits per 24 hours; configurable. The real limit of calls is 4,800 for each engaged user: here it is that of a Page
 * with a hundred. `accountsPerAnswer`: the most Pages in one list answer.
 */
export const FACEBOOK_LIMITS = { reelsPerDay: 30, callsPerDay: 480_000, accountsPerAnswer: 100 };
export type FacebookLimit = keyof typeof FACEBOOK_LIMITS;

export interface FacebookOptions extends SimulatorOptions {
  readonly records: FacebookRecords;
  readonly limits: Limits<FacebookLimit>;
  readonly uses: Uses;
}

/** A call with any live token. */
export interface AdmittedCall {
  readonly request: Incoming;
  readonly parameters: URLSearchParams;
  /** The parts of a multipart body; null when it is none. */
  readonly parts: FormData | null;
  readonly holder: GrantHolder;
  readonly fault: Fault<NetworkFault> | null;
  readonly now: number;
}

/** A call with a token of a Page, on that Page. */
export interface PageRequest extends AdmittedCall {
  readonly pageId: string;
  /** The version in the address: addresses in answers have the same. */
  readonly version: string;
}

export function isAnswer(value: object | null): value is SandboxAnswer {
  return value !== null && 'headers' in value && 'body' in value;
}

/** The bytes of a part that is a file; null when there is none. */
export async function bytesOfPart(parts: FormData | null, name: string): Promise<Uint8Array | null> {
  const part = parts?.get(name) ?? null;
  return part === null ? null : typeof part === 'string' ? new TextEncoder().encode(part) : part.bytes();
}

/** A whole number of up to 15 digits; -1 for anything else. */
export const wholeOf = (text: string | null): number => (text !== null && /^\d{1,15}$/.test(text) ? Number(text) : -1);

/** A boolean; `missing` when left out, null when it is not a boolean. */
export function flagOf(parameters: URLSearchParams, name: string, missing: boolean): boolean | null {
  const value = parameters.get(name);
  if (value === null) return missing;
  return value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : null;
}
