import { useMemo } from 'react';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import type { PlacedCard } from './cards/placed-card.ts';
import { countWords } from './grid/grid-cell-view.tsx';
import { PostList } from './post-list.tsx';
import { longDayWords } from './time/time-texts.ts';

export interface MoreListProps {
  /** `2026-11-24T09`, or `2026-11-24`. */
  readonly group: string;
  readonly cards: readonly PlacedCard[];
  readonly isPending: boolean;
  readonly workspaceId: string;
  readonly onClose: () => void;
  readonly onOpen: (postId: string) => void;
  readonly onMenu: (postId: string, beside: Element) => void;
}

/** All Posts of an hour or a day that a cell has no room for. */
export function MoreList({ group, cards, isPending, onClose, ...list }: MoreListProps) {
  const date = group.slice(0, 10);
  const hour = group.length > 10 ? `, ${group.slice(11, 13)}:00` : '';
  const again = group.endsWith('b') ? ' for the second time' : '';
  const groups = useMemo(() => new Map([[date, cards]]), [date, cards]);
  const title = /^\d{4}-\d{2}-\d{2}/.test(group) ? `${longDayWords(date)}${hour}${again}` : 'Posts';
  return (
    <SidePanel title={title} onClose={onClose}>
      {cards.length > 0 ? (
        <div className="more-list">
          <PostList {...list} label={`${countWords(cards.length)}, ${title}`} groups={groups} today={date} />
        </div>
      ) : isPending ? (
        <Skeleton label="Loading Posts" />
      ) : (
        <p>There are no Posts at that time any more.</p>
      )}
    </SidePanel>
  );
}
