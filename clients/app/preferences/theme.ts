import { onPreferences, readPreference, type Preference } from './preference.ts';

export const THEME: Preference<'system' | 'light' | 'dark'> = {
  name: 'theme',
  choices: ['system', 'light', 'dark'],
  initial: 'system',
};

/** Keeps the page in the theme that the person chose, or in that of their system. */
export function applyTheme(): void {
  const apply = (): void => {
    const theme = readPreference(THEME);
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  };
  apply();
  onPreferences(apply);
}
