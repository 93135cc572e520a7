import type { ArmedCall, Publication, Sought } from './adapter.ts';
import { backoffMs, type Backoff } from '#concurrency/backoff.ts';

/** How an adapter is set up beside its endpoints. */
export interface AdapterOptions {
  /**
   * Multiplies the waits for a Network's own work, before publishing and after it, which a sandbox does faster; no
   * other waits. 1 when left out.
   */
  readonly waitFactor?: number;
  /** Of the irreversible call, at its longest; 40 s when left out. */
  readonly publishTimeoutMs?: number;
}

export const PUBLISH_TIMEOUT_MS = 40_000;
/** Of reading the part of a file that the irreversible call sends. Who calls an adapter keeps reads within it. */
export const READ_TIMEOUT_MS = 10_000;

/** `options`, with what holds where they say nothing. */
export function waitsOf({ publishTimeoutMs, waitFactor }: AdapterOptions): Required<AdapterOptions> {
  return { publishTimeoutMs: publishTimeoutMs ?? PUBLISH_TIMEOUT_MS, waitFactor: waitFactor ?? 1 };
}

const LIGHT_TIMEOUT_MS = 20_000;

/**
 * Of the irreversible call of what has no video: a text, pictures that are there already, a comment. Networks answer it
 * within a second or two, and after a crash they are asked this much sooner.
 */
export function lightTimeoutMs({ publishTimeoutMs }: AdapterOptions): number {
  return Math.min(publishTimeoutMs ?? PUBLISH_TIMEOUT_MS, LIGHT_TIMEOUT_MS);
}

/** Of the irreversible call of this publication. */
export function timeoutOf({ media }: Pick<Publication, 'media'>, options: Required<AdapterOptions>): number {
  return media.some(({ kind }) => kind === 'video') ? options.publishTimeoutMs : lightTimeoutMs(options);
}

/** Of any call that can be repeated. */
export const CALL_TIMEOUT_MS = 30_000;
/** Of one that carries part of a file. */
export const UPLOAD_TIMEOUT_MS = 120_000;
/** Of looking up what is nice to know about something already live. */
export const LOOKUP_TIMEOUT_MS = 5_000;

/** First wait after a Network's own trouble; the caller that retries lets it grow. */
export const TROUBLE_DELAY_MS = 5_000;

/** How far a Network's clock and this machine's may be apart, where its lists are read from an instant on. */
export const NETWORK_CLOCK_SKEW_MS = 30_000;

const TROUBLE_BACKOFF: Backoff = { firstMs: TROUBLE_DELAY_MS, maxMs: 120_000 };

/** The time since the call was armed, at least: another process, whose clock is another one, may have armed it. */
export function sinceArmedMs({ armedAt, clockSkewMs = 0 }: ArmedSince, now: number): number {
  return now - armedAt - clockSkewMs;
}

type ArmedSince = Pick<ArmedCall, 'armedAt' | 'clockSkewMs'>;

/**
 * How long to wait before asking a Network again that could not be asked: 5 s, doubled each time, at most 2 minutes.
 */
export function askAgainMs(asked: number): number {
  return backoffMs(TROUBLE_BACKOFF, asked);
}

const MAX_LOOK_MS = 60_000;

/**
 * Between two looks at a Network's own work: a fifth of the time that it took so far, at least `leastMs`, at most a
 * minute.
 */
export function lookAgainAfterMs(leastMs: number, soFarMs: number): number {
  return Math.max(leastMs, Math.min(Math.floor(soFarMs / 5), MAX_LOOK_MS));
}

const GIVE_UP_AFTER_MS = 15 * 60_000;
const GIVE_UP_ASKED = 8;

/** What is being asked about. */
export type Asking = Pick<ArmedCall, 'armedAt' | 'asked' | 'outOfReachSince'>;

/** What is sought, as what is asked about: it may be live since then. */
export function askingOf({ since, ...asking }: Sought): Asking {
  return { ...asking, armedAt: since };
}

/**
 * Whether a Network that can't be asked what became of an attempt has had its chances. A late first look still gets
 * several, and so does one after a Network has worked on it for long.
 */
export function mayGiveUp({ armedAt, asked, outOfReachSince = armedAt }: Asking, now: number): boolean {
  return now - outOfReachSince >= GIVE_UP_AFTER_MS && asked >= GIVE_UP_ASKED;
}
