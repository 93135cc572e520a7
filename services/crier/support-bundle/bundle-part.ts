import { withDeadline } from '#concurrency/deadline.ts';
import type { Clock } from '#ports/clock.ts';

/** One file of a bundle. */
export interface BundlePart {
  /** Name of the file. */
  readonly file: string;
  readonly deadlineMs: number;
  /** Text as it is, anything else as JSON. Rejects with what the file then says. */
  gather(signal: AbortSignal): Promise<unknown>;
}

export interface GatheredPart {
  readonly file: string;
  /** What was gathered, or why nothing was. */
  readonly text: string;
  /** null: it is whole. */
  readonly trouble: string | null;
  readonly tookMs: number;
}

/** Gathers all parts side by side. One that fails, or hangs past its deadline, costs its own file only. */
export function gatherParts(
  parts: readonly BundlePart[],
  { clock, scrub }: { readonly clock: Pick<Clock, 'after' | 'monotonic'>; readonly scrub: (text: string) => string },
): Promise<readonly GatheredPart[]> {
  return Promise.all(
    parts.map(async ({ file, deadlineMs, gather }): Promise<GatheredPart> => {
      const from = clock.monotonic();
      const tookMs = (): number => Math.round(clock.monotonic() - from);
      const ending = new AbortController();
      try {
        const found = await withDeadline(started(gather, ending.signal), {
          clock,
          deadlineMs,
          onLate: () => {
            throw new Error(`it did not come within ${deadlineMs / 1_000} s`);
          },
        });
        return { file, text: scrub(textOf(found)), trouble: null, tookMs: tookMs() };
      } catch (error) {
        const trouble = scrub(error instanceof Error ? error.message : String(error));
        return { file, text: `This could not be gathered: ${trouble}\n`, trouble, tookMs: tookMs() };
      } finally {
        ending.abort();
      }
    }),
  );
}

/** An error that is thrown at once is one of the part too. */
async function started(gather: BundlePart['gather'], signal: AbortSignal): Promise<unknown> {
  return gather(signal);
}

function textOf(found: unknown): string {
  return typeof found === 'string' ? found : `${JSON.stringify(found, null, 2)}\n`;
}
