import { useSyncExternalStore } from 'react';
import { keepText, onPreferences, readPreference, readText, type Preference } from './preference.ts';

export function usePreference<Value extends string>(
  preference: Preference<Value>,
): readonly [Value, (value: Value) => void] {
  const value = useSyncExternalStore(onPreferences, () => readPreference(preference));
  return [value, (chosen) => keepText(preference.name, chosen)];
}

export function useKeptText(name: string): string | null {
  return useSyncExternalStore(onPreferences, () => readText(name));
}
