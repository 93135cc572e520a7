import type { Violation } from './aftermath.ts';
import type { History } from './history.ts';
import type { World } from './world.ts';

/** That a run comes to its end and its checks can be made: nothing throws, and no process works in a circle. */
export const WORLD_ENDS = 'the world ends';

/**
 * Runs a world to its end. What is thrown meanwhile, by a process, a client or a check, is a violation like another, so
 * that it is told and repeated as others are; so are work that does not end and a rejection that nobody handles, which
 * would end a real process. A loop that never yields can not be ended from within the process, and is not covered.
 */
export async function toItsEnd<T>(
  world: World,
  history: History,
  run: () => Promise<T>,
  failed: (violation: Violation) => T,
): Promise<T> {
  const onRejection = (error: unknown): void => world.engine.fail(error);
  process.on('unhandledRejection', onRejection);
  try {
    return await run();
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return failed({ check: WORLD_ENDS, detail, about: postsNamedIn(detail, history) });
  } finally {
    process.off('unhandledRejection', onRejection);
  }
}

/** The Posts that the error names; all that were made when it names none. */
function postsNamedIn(detail: string, history: History): readonly string[] {
  const ids = history.of('create').flatMap(({ postId }) => (postId === null ? [] : [postId]));
  const named = ids.filter((id) => detail.includes(id));
  return [...new Set(named.length > 0 ? named : ids)];
}
