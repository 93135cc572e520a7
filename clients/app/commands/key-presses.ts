import { currentCommands, type AppCommand } from './commands.ts';

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** How long the second key of `g c` may take. */
export const SEQUENCE_MS = 1_200;

/** `Mod+k`, `g`, `?`; null: keys with Alt and keys that only modify others mean nothing here. */
export function nameOfKey({ key, ctrlKey, metaKey, altKey }: KeyPress): string | null {
  if (altKey || ['Shift', 'Control', 'Meta', 'Alt', 'AltGraph', 'Dead'].includes(key)) return null;
  const isModified = ctrlKey || metaKey;
  const name = key.length === 1 && key === key.toUpperCase() && key !== key.toLowerCase() ? `Shift+${key}` : key;
  return isModified ? `Mod+${key.toLowerCase()}` : name;
}

export interface KeysSoFar {
  readonly keys: readonly string[];
  readonly at: number;
}

export interface KeyOutcome {
  readonly command: AppCommand | null;
  /** What may become a sequence. */
  readonly soFar: KeysSoFar;
}

const NONE: readonly string[] = [];

/** What one more key comes to. `now`: ms. A key that ends no sequence begins a new one. */
export function addKey(soFar: KeysSoFar, name: string, now: number, commands: readonly AppCommand[]): KeyOutcome {
  const before = now - soFar.at <= SEQUENCE_MS ? soFar.keys : NONE;
  for (const keys of before.length === 0 ? [[name]] : [[...before, name], [name]]) {
    const pressed = keys.join(' ');
    const command = commands.findLast((one) => one.keys === pressed);
    if (command !== undefined) return { command, soFar: { keys: NONE, at: now } };
    if (commands.some((one) => one.keys?.startsWith(`${pressed} `))) return { command: null, soFar: { keys, at: now } };
  }
  return { command: null, soFar: { keys: NONE, at: now } };
}

const TYPING = 'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable=true]';
/** Letters choose an entry there. */
const CHOOSING = '[role=menu], [role=listbox], [role=combobox]';

/** Whether the element takes letters itself, so that single keys are none of ours. */
function takesLetters(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(`${TYPING}, ${CHOOSING}`) !== null;
}

/**
 * Runs commands by their keys while the page is open; what it returns stops that. `areSingleKeysOn`: asked at each key.
 * While a dialog is open, only keys with Ctrl or Cmd count.
 */
export function listenForKeys(areSingleKeysOn: () => boolean): () => void {
  let soFar: KeysSoFar = { keys: NONE, at: 0 };
  const onKey = (event: KeyboardEvent): void => {
    const name = nameOfKey(event);
    if (name === null || event.defaultPrevented || event.isComposing || event.repeat) return;
    const isSingle = !name.startsWith('Mod+');
    const isBusy = takesLetters(event.target) || document.querySelector('[role=dialog], [role=alertdialog]') !== null;
    if (isSingle && (!areSingleKeysOn() || isBusy)) return;
    const outcome = addKey(soFar, name, event.timeStamp, currentCommands());
    ({ soFar } = outcome);
    if (outcome.command === null) return;
    event.preventDefault();
    outcome.command.run();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
