import type { TimeSlices } from './time-slice.ts';

/**
 * The pieces of a file or of a long answer, each in a slice of the Workspace: what is done with one of them, such as
 * hashing or sending it, is done in a turn of the event loop in which no other has a piece. Many that come or go at
 * once would else have a piece each in every turn, and a request passes through many turns.
 */
export async function* inSlices<T>(
  content: AsyncIterable<T> | Iterable<T>,
  slices: Pick<TimeSlices, 'run'>,
  workspaceId: string,
): AsyncGenerator<T> {
  for await (const piece of content) yield await slices.run(workspaceId, () => piece);
}
