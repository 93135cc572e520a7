import { useMemo } from 'react';
import { Menu, MenuItem, Popover } from 'react-aria-components';
import { Icon } from '../../parts/icon.tsx';
import { canMove, type PlacedCard } from './cards/placed-card.ts';
import { isolating } from '../../parts/isolating.ts';
import '../../parts/popover.css';

/** A Post whose menu is open, and where. */
export interface OpenMenu {
  readonly placed: PlacedCard;
  readonly beside: Element;
}

export interface CardMenuProps extends OpenMenu {
  readonly canEdit: boolean;
  readonly now: number;
  readonly onClose: () => void;
  readonly onOpen: () => void;
  readonly onOpenPage: () => void;
  readonly onMove: () => void;
}

/** What can be done with a Post. One menu serves all of them: thousands would be made for nothing. */
export function CardMenu({ placed, beside, canEdit, now, onClose, onOpen, onOpenPage, onMove }: CardMenuProps) {
  const anchor = useMemo(() => ({ current: beside }), [beside]);
  return (
    <Popover
      className="popover"
      triggerRef={anchor}
      isOpen
      onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}
      placement="bottom start"
    >
      <Menu
        className="popover-list"
        aria-label={isolating`Actions for ${placed.words}`}
        autoFocus="first"
        onClose={onClose}
      >
        <MenuItem className="popover-item popover-item-row" onAction={onOpen}>
          <Icon name="right" />
          Open beside the calendar
        </MenuItem>
        <MenuItem className="popover-item popover-item-row" onAction={onOpenPage}>
          <Icon name="arrow" />
          Open its page
        </MenuItem>
        {canEdit ? (
          <MenuItem
            className="popover-item popover-item-row"
            isDisabled={!canMove(placed, now)}
            onAction={onMove}
            textValue="Move to..."
          >
            <Icon name="clock" />
            {canMove(placed, now) ? 'Move to...' : 'Move to... (it does not wait any more)'}
          </MenuItem>
        ) : null}
      </Menu>
    </Popover>
  );
}
