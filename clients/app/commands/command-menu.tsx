import { useState } from 'react';
import { Autocomplete, Dialog, Input, Menu, MenuItem, Modal, ModalOverlay, SearchField } from 'react-aria-components';
import '../parts/dialog.css';
import '../parts/field.css';
import '../parts/popover.css';
import './command-menu.css';
import { useCommands, type AppCommand } from './commands.ts';
import { rank } from './fuzzy.ts';
import { KeysWords } from './keys-words.tsx';

export interface CommandMenuProps {
  readonly onClose: () => void;
}

/** Everything that can be done now, found by a few letters. */
export function CommandMenu({ onClose }: CommandMenuProps) {
  const [typed, setTyped] = useState('');
  const commands = useCommands().filter(({ isInMenu = true }) => isInMenu);
  const found = rank(typed, commands, ({ name, group }) => (group === 'Go to' ? `Go to ${name}` : name));
  const run = (command: AppCommand): void => {
    onClose();
    command.run();
  };
  return (
    <ModalOverlay className="dialog-scrim command-menu-scrim" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="dialog command-menu">
        <Dialog className="dialog-content" aria-label="Command menu">
          <Autocomplete inputValue={typed} onInputChange={setTyped}>
            <SearchField className="command-menu-search" aria-label="What do you want to do?" autoFocus>
              <Input className="field-control" dir="auto" placeholder="What do you want to do?" />
            </SearchField>
            <Menu
              className="popover-list command-menu-list"
              aria-label="Commands"
              items={found}
              renderEmptyState={() => <p className="popover-heading">Nothing is called like that.</p>}
            >
              {(command) => (
                <MenuItem
                  id={command.id}
                  textValue={command.name}
                  className="popover-item popover-item-row"
                  onAction={() => run(command)}
                >
                  <span className="command-menu-group">{command.group}</span>
                  <span className="command-menu-name">{command.name}</span>
                  {command.keys === undefined ? null : <KeysWords keys={command.keys} />}
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
