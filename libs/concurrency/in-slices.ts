import type { TimeSlices } from './time-slice.ts';

/**
 * The pieces of a file, each in a slice of the Workspace: what is done with one of them, such as hashing it, is done in
 * a turn of the event loop in which no other file has a piece. Many files that come or go at once would else have a
 * piece each in every turn, and a request passes through many turns.
 */
export async function* inSlices(
  content: AsyncIterable<Buffer>,
  slices: Pick<TimeSlices, 'run'>,
  workspaceId: string,
): AsyncGenerator<Buffer> {
  for await (const piece of content) yield await slices.run(workspaceId, () => piece);
}
