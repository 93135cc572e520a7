/** A choice that this browser keeps for the person. */
export interface Preference<Value extends string> {
  readonly name: string;
  readonly choices: readonly Value[];
  readonly initial: Value;
}

const PREFIX = 'crier.';
const listeners = new Set<() => void>();
/** In the place of a storage that the browser refuses. */
const withoutStorage = new Map<string, string>();

export function readPreference<Value extends string>({ name, choices, initial }: Preference<Value>): Value {
  const kept = readText(name);
  return choices.find((choice) => choice === kept) ?? initial;
}

/** A text that this browser keeps, such as the id of the last Workspace; null: none. */
export function readText(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return withoutStorage.get(name) ?? null;
  }
}

export function keepText(name: string, text: string): void {
  try {
    localStorage.setItem(PREFIX + name, text);
  } catch {
    withoutStorage.set(name, text);
  }
  for (const listener of listeners) listener();
}

/** Calls `listener` when anything that is kept changes, here or in another tab. */
export function onPreferences(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
