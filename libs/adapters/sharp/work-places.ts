import { availableParallelism } from 'node:os';

/** A place that was taken; to be called once its work has ended. */
type LeavePlace = () => void;

interface WorkOfWorkspace {
  atWork: number;
  readonly waiting: (() => void)[];
}

export interface WorkPlacesOptions {
  /** No other Workspace has, or lately had, pictures. */
  readonly isAlone: (workspaceId: string) => boolean;
  /** One for each processor by default. */
  readonly mostAlone?: number | undefined;
}

/**
 * How many pictures of one Workspace are worked on at once: as many as there are processors while it is alone, else
 * one. However low its priority is, a process that wants a processor gets a slice of some milliseconds now and then,
 * and the server waits for as many of these as there are such processes. More than one for each processor make no
 * picture ready sooner.
 */
export class WorkPlaces {
  readonly #isAlone: WorkPlacesOptions['isAlone'];
  readonly #mostAlone: number;
  /** Those that have work. */
  readonly #works = new Map<string, WorkOfWorkspace>();

  constructor({ isAlone, mostAlone = availableParallelism() }: WorkPlacesOptions) {
    this.#isAlone = isAlone;
    this.#mostAlone = mostAlone;
  }

  /** In the order in which they are asked for. Rejects with the signal's reason when aborted meanwhile. */
  async take(workspaceId: string, signal?: AbortSignal): Promise<LeavePlace> {
    signal?.throwIfAborted();
    const work = this.#works.get(workspaceId) ?? { atWork: 0, waiting: [] };
    this.#works.set(workspaceId, work);
    if (work.waiting.length > 0 || !this.#hasRoom(workspaceId, work)) await waitIn(work.waiting, signal);
    else work.atWork += 1;
    return () => this.#leave(workspaceId, work);
  }

  #leave(workspaceId: string, work: WorkOfWorkspace): void {
    work.atWork -= 1;
    while (work.waiting.length > 0 && this.#hasRoom(workspaceId, work)) {
      work.atWork += 1;
      work.waiting.shift()!();
    }
    if (work.atWork === 0) this.#works.delete(workspaceId);
  }

  #hasRoom(workspaceId: string, { atWork }: WorkOfWorkspace): boolean {
    return atWork === 0 || (atWork < this.#mostAlone && this.#isAlone(workspaceId));
  }
}

function waitIn(line: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      line.splice(line.indexOf(begin), 1);
      reject(signal!.reason as Error);
    };
    line.push(begin);
    signal?.addEventListener('abort', leave, { once: true });
  });
}
