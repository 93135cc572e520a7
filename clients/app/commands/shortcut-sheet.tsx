import { Dialog } from '../parts/dialog.tsx';
import { SINGLE_KEYS } from '../preferences/single-keys.ts';
import { usePreference } from '../preferences/use-preference.ts';
import { useCommands, type AppCommand } from './commands.ts';
import { KeysWords } from './keys-words.tsx';
import './shortcut-sheet.css';

const GROUPS: readonly AppCommand['group'][] = ['Show', 'Go to', 'Do', 'List'];

/** Every key that does something on this page. */
export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const [singleKeys] = usePreference(SINGLE_KEYS);
  const commands = useCommands().filter(({ keys }) => keys !== undefined);
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose} width="wide">
      {singleKeys === 'off' ? <p>Single keys are switched off in the settings. Those with Ctrl or Cmd work.</p> : null}
      <div className="shortcut-sheet">
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {commands
                .filter((command) => command.group === group)
                .map(({ id, name, keys }) => (
                  <div key={id}>
                    <dt>{name}</dt>
                    <dd>
                      <KeysWords keys={keys!} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
