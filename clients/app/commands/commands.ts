import { useEffect, useRef, useSyncExternalStore } from 'react';

/** Something that a person can do by its name in the command menu, and by keys. */
export interface AppCommand {
  /** Unique; the newest of several with one id is used. */
  readonly id: string;
  /** With a verb or a page's name: "Write a Post". */
  readonly name: string;
  readonly group: 'Go to' | 'Do' | 'List' | 'Show';
  /** Keys in their order: `c`, `g c`, `?`, `Mod+k`. `Mod` is Ctrl, or Cmd on a Mac. */
  readonly keys?: string;
  /** Whether the command menu leaves it out, where only its keys make sense. */
  readonly isInMenu?: boolean;
  readonly run: () => void;
}

let commands: readonly AppCommand[] = [];
const listeners = new Set<() => void>();

function change(next: readonly AppCommand[]): void {
  commands = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What can be done now: a page's own commands come and go with it. */
export function currentCommands(): readonly AppCommand[] {
  return commands;
}

export function useCommands(): readonly AppCommand[] {
  return useSyncExternalStore(subscribe, currentCommands);
}

/**
 * Offers commands for as long as the component is shown. `run` may be another function at each rendering; ids, names,
 * groups and keys are those of the first one with the same ids.
 */
export function useCommand(...offered: readonly AppCommand[]): void {
  const latest = useRef(offered);
  useEffect(() => {
    latest.current = offered;
  });
  const ids = offered.map(({ id, name }) => `${id} ${name}`).join('\n');
  useEffect(() => {
    const mine = latest.current.map((command, index) => ({ ...command, run: () => latest.current[index]?.run() }));
    change([...commands, ...mine]);
    return () => change(commands.filter((command) => !mine.some((own) => own === command)));
  }, [ids]);
}
