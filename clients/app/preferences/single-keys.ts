import type { Preference } from './preference.ts';

/** Whether single keys do things: whoever speaks to their computer, or hits keys by accident, switches them off. */
export const SINGLE_KEYS: Preference<'on' | 'off'> = { name: 'single-keys', choices: ['on', 'off'], initial: 'on' };
