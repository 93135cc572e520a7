import { useRef, type DragEvent } from 'react';
import { isOver } from './cell-times.ts';
import type { GridCell } from './grid-model.ts';
import { spotOf } from './grid-moves.ts';
import type { PostGridProps } from './post-grid-props.ts';

/** Posts that are dragged to another cell. All that it does, "Move to..." in a Post's menu does, too. */
export function useCardDrag({ model, now, onDrop }: Pick<PostGridProps, 'model' | 'now' | 'onDrop'>) {
  const dragged = useRef<string | null>(null);
  const over = useRef<HTMLElement | null>(null);
  const mark = (element: HTMLElement | null): void => {
    if (over.current === element) return;
    over.current?.classList.remove('cell-over');
    element?.classList.add('cell-over');
    over.current = element;
  };
  const end = (): void => {
    dragged.current = null;
    mark(null);
  };
  return {
    onDragStart: ({ target, dataTransfer }: DragEvent) => {
      dragged.current = (target as HTMLElement).dataset['post'] ?? null;
      dataTransfer.effectAllowed = 'move';
    },
    onDragOver: (event: DragEvent) => {
      const element = (event.target as Element).closest<HTMLElement>('[data-cell]');
      const cell = cellOf(model, element);
      const canDrop = dragged.current !== null && cell !== null && !isOver(cell, now);
      mark(canDrop ? element : null);
      if (canDrop) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      const cell = cellOf(model, (event.target as Element).closest<HTMLElement>('[data-cell]'));
      const postId = dragged.current;
      end();
      if (postId === null || cell === null) return;
      event.preventDefault();
      onDrop(postId, cell);
    },
    onDragEnd: end,
  };
}

function cellOf(model: PostGridProps['model'], element: HTMLElement | null): GridCell | null {
  const key = element?.dataset['cell'];
  const spot = key === undefined ? null : spotOf(model, key);
  return spot === null ? null : model.rows[spot.row]!.cells[spot.column]!;
}
