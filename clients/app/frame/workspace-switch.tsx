import { useNavigate } from '@tanstack/react-router';
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import '../parts/button.css';
import { Icon } from '../parts/icon.tsx';
import '../parts/popover.css';
import type { AppSession } from '../workspace/session.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { isolating } from '../parts/isolating.ts';
import './workspace-switch.css';

const ROLES = { owner: 'an owner', editor: 'an editor', viewer: 'a viewer' } as const;

/** The Workspace that is shown, and the way to the others. */
export function WorkspaceSwitch({ session }: { readonly session: AppSession }) {
  const shown = useWorkspace();
  const navigate = useNavigate();
  return (
    <MenuTrigger>
      <AriaButton
        className="button button-quiet workspace-switch"
        aria-label={isolating`${shown.name}, switch Workspace`}
      >
        <span className="workspace-switch-name" dir="auto">
          {shown.name}
        </span>
        <Icon name="down" />
      </AriaButton>
      <Popover className="popover">
        <Menu
          className="popover-list"
          aria-label="Workspaces"
          selectionMode="single"
          selectedKeys={[shown.id]}
          disallowEmptySelection
          onAction={(id) => void navigate({ to: '/calendar', search: { workspace: String(id) } })}
        >
          {session.workspaces.map(({ id, name, role }) => (
            <MenuItem key={id} id={id} textValue={name} className="popover-item">
              <bdi>{name}</bdi>
              <span className="field-note">You are {ROLES[role]}</span>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
