import { lazy, Suspense, useState } from 'react';
import { showToast } from '../../parts/toast.tsx';
import { CardMenu, type OpenMenu } from './card-menu.tsx';
import type { PlacedCard } from './cards/placed-card.ts';
import { composedAt, droppedAt } from './grid/cell-times.ts';
import type { GridCell } from './grid/grid-model.ts';
import { movePost } from './move-post.ts';
import type { ShownCalendar } from './use-shown-calendar.ts';

const MoveDialog = lazy(async () => ({ default: (await import('./move-dialog.tsx')).MoveDialog }));

/** What can be done with Posts of the calendar, and the menu and dialog for it. */
export function usePostActions({ workspaceId, canEdit, now, clock, posts, go }: ShownCalendar) {
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const [moving, setMoving] = useState<PlacedCard | null>(null);
  const find = (postId: string): PlacedCard | undefined => posts.shown.find(({ card }) => card.id === postId);
  const move = ({ card }: PlacedCard, to: number): void =>
    void movePost({ workspaceId, card, to, timeZone: clock.timeZone });
  const overlays = (
    <>
      {menu === null ? null : (
        <CardMenu
          {...menu}
          {...{ canEdit, now }}
          onClose={() => setMenu(null)}
          onOpen={() => go.onOpen(menu.placed.card.id)}
          onOpenPage={() => go.onOpenPage(menu.placed.card.id)}
          onMove={() => setMoving(menu.placed)}
        />
      )}
      {moving === null ? null : (
        <Suspense>
          <MoveDialog
            placed={moving}
            {...{ clock, now }}
            onClose={() => setMoving(null)}
            onMove={(at) => {
              setMoving(null);
              move(moving, at);
            }}
          />
        </Suspense>
      )}
    </>
  );
  return {
    overlays,
    onOpen: go.onOpen,
    onMenu: (postId: string, beside: Element) => {
      const placed = find(postId);
      if (placed !== undefined) setMenu({ placed, beside });
    },
    onCompose: (cell: GridCell) => {
      const at = canEdit ? composedAt(cell, clock, now) : null;
      if (at !== null) go.onCompose(at);
    },
    onDrop: (postId: string, cell: GridCell) => {
      const placed = find(postId);
      if (placed === undefined || cell.cards.includes(placed)) return;
      const at = droppedAt(cell, placed, clock, now);
      if (at !== null) move(placed, at);
      else showToast({ tone: 'failed', message: 'The Post stays where it was: that time is over.', forMs: 6_000 });
    },
  };
}
