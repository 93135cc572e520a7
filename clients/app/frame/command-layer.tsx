import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useCommand, type AppCommand } from '../commands/commands.ts';
import { listenForKeys } from '../commands/key-presses.ts';
import { focusFilter, focusItem } from '../commands/list-items.ts';
import { readPreference } from '../preferences/preference.ts';
import { SINGLE_KEYS } from '../preferences/single-keys.ts';
import { RAIL_LINKS } from './rail.tsx';

const CommandMenu = lazy(async () => ({ default: (await import('../commands/command-menu.tsx')).CommandMenu }));
const ShortcutSheet = lazy(async () => ({ default: (await import('../commands/shortcut-sheet.tsx')).ShortcutSheet }));

/** `g`, then one of these. */
const LETTERS: Readonly<Record<string, string>> = {
  '/calendar': 'c',
  '/compose': 'p',
  '/channels': 'h',
  '/webhooks': 'w',
  '/keys': 'k',
  '/apps': 'a',
  '/members': 'm',
  '/usage': 'u',
  '/audit': 'l',
  '/settings': 's',
};

/** Commands that every page has, their keys, the command menu and the sheet of shortcuts. */
export function CommandLayer() {
  const [open, setOpen] = useState<'menu' | 'sheet' | null>(null);
  const navigate = useNavigate();
  useEffect(() => listenForKeys(() => readPreference(SINGLE_KEYS) === 'on'), []);
  const pages = RAIL_LINKS.map(({ to, name }): AppCommand => ({
    id: `go ${to}`,
    name,
    group: 'Go to',
    keys: `g ${LETTERS[to]}`,
    run: () => void navigate({ to }),
  }));
  useCommand(
    ...pages,
    { id: 'write', name: 'Write a Post', group: 'Do', keys: 'c', run: () => void navigate({ to: '/compose' }) },
    { id: 'menu', name: 'Command menu', group: 'Show', keys: 'Mod+k', isInMenu: false, run: () => setOpen('menu') },
    { id: 'sheet', name: 'Keyboard shortcuts', group: 'Show', keys: '?', run: () => setOpen('sheet') },
    { id: 'next', name: 'Next item', group: 'List', keys: 'j', isInMenu: false, run: () => focusItem(1) },
    { id: 'previous', name: 'Previous item', group: 'List', keys: 'k', isInMenu: false, run: () => focusItem(-1) },
    { id: 'filter', name: 'Filter', group: 'List', keys: '/', isInMenu: false, run: focusFilter },
  );
  return (
    <Suspense>
      {open === 'menu' ? <CommandMenu onClose={() => setOpen(null)} /> : null}
      {open === 'sheet' ? <ShortcutSheet onClose={() => setOpen(null)} /> : null}
    </Suspense>
  );
}
