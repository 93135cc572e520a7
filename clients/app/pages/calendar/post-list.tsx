import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import type { CardGroups } from './cards/card-groups.ts';
import type { PlacedCard } from './cards/placed-card.ts';
import { PostCard } from './cards/post-card.tsx';
import { countWords } from './grid/grid-cell-view.tsx';
import { longDayWords } from './time/time-texts.ts';
import './post-list.css';

export interface PostListProps {
  /** For readers: what is listed. */
  readonly label: string;
  /** By day. */
  readonly groups: CardGroups;
  readonly today: string;
  readonly workspaceId: string;
  readonly onOpen: (postId: string) => void;
  readonly onMenu: (postId: string, beside: Element) => void;
}

type ListRow =
  | { readonly kind: 'day'; readonly date: string; readonly count: number }
  | { readonly kind: 'post'; readonly placed: PlacedCard };

/** rem; as high before anything is measured. */
const DAY_HEIGHT = 2.5;
const POST_HEIGHT = 3;
const OVERSCAN_ROWS = 8;
const MAX_FRAMES = 20;

/** Posts below each other, by day. Only those in sight are drawn; readers hear of how many each is which. */
export function PostList(props: PostListProps) {
  const { label, groups, today, workspaceId } = props;
  const rows = useMemo(() => rowsOf(groups), [groups]);
  const scroller = useRef<HTMLDivElement>(null);
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]!.kind === 'day' ? DAY_HEIGHT : POST_HEIGHT) * rem,
    getItemKey: (index) => keyOf(rows[index]!),
    overscan: OVERSCAN_ROWS,
    initialRect: { width: 1_000, height: window.innerHeight },
  });
  const first = Math.max(
    0,
    rows.findIndex((row) => row.kind === 'day' && row.date >= today),
  );
  const isPlaced = useRef(false);
  useLayoutEffect(() => {
    if (isPlaced.current || rows.length === 0) return;
    isPlaced.current = true;
    virtualizer.scrollToIndex(first, { align: 'start' });
  });
  const [current, setCurrent] = useState<string | null>(null);
  const stop = rows.some((row) => row.kind === 'post' && row.placed.card.id === current) ? current : firstPost(rows);
  const go = (postId: string | null): void => {
    const index = rows.findIndex((row) => row.kind === 'post' && row.placed.card.id === postId);
    if (postId === null || index === -1) return;
    setCurrent(postId);
    virtualizer.scrollToIndex(index);
    focusWhenDrawn(scroller.current, postId, MAX_FRAMES);
  };
  return (
    <div
      ref={scroller}
      className="post-list"
      data-scroll-restoration-id={`list ${label}`}
      role="list"
      aria-label={label}
      onKeyDown={(event) => onKey(event, rows, props, go)}
      onClick={(event) => onClick(event, props)}
      onContextMenu={(event) => onMenuKey(event, props)}
      onFocus={({ target }) => {
        const postId = postOf(target);
        if (postId !== null) setCurrent(postId);
      }}
    >
      <div className="post-list-rows" role="presentation" style={{ blockSize: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ key, index, start, size }) => {
          const row = rows[index]!;
          return (
            <div
              key={key}
              className="post-list-row"
              role="listitem"
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)`, blockSize: `${size}px` }}
            >
              <ListRowView {...{ row, today, workspaceId, stop }} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface ListRowViewProps extends Pick<PostListProps, 'today' | 'workspaceId'> {
  readonly row: ListRow;
  /** The Post that is in the order of Tab. */
  readonly stop: string | null;
}

function ListRowView({ row, today, workspaceId, stop }: ListRowViewProps) {
  if (row.kind === 'day')
    return (
      <h3 className={row.date === today ? 'post-list-day post-grid-today' : 'post-list-day'}>
        {longDayWords(row.date)} · {countWords(row.count)}
      </h3>
    );
  const { placed } = row;
  const tabStop = placed.card.id === stop ? 'link' : null;
  return <PostCard {...{ placed, workspaceId, tabStop }} look="block" isMovable={false} />;
}

function rowsOf(groups: CardGroups): readonly ListRow[] {
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([date, cards]): readonly ListRow[] => [
      { kind: 'day', date: date.slice(0, 10), count: cards.length },
      ...cards.map((placed) => ({ kind: 'post' as const, placed })),
    ]);
}

function keyOf(row: ListRow): string {
  return row.kind === 'day' ? row.date : row.placed.card.id;
}

function firstPost(rows: readonly ListRow[]): string | null {
  const row = rows.find(({ kind }) => kind === 'post');
  return row?.kind === 'post' ? row.placed.card.id : null;
}

function postOf(target: EventTarget): string | null {
  return (target as Element).closest<HTMLElement>('[data-post]')?.dataset['post'] ?? null;
}

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

function onKey(
  event: KeyboardEvent,
  rows: readonly ListRow[],
  { onMenu }: PostListProps,
  go: (postId: string | null) => void,
): void {
  const postId = postOf(event.target);
  if (postId === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const posts = rows.flatMap((row) => (row.kind === 'post' ? [row.placed.card.id] : []));
  const step = STEPS[event.key];
  if (step !== undefined) {
    event.preventDefault();
    go(posts[posts.indexOf(postId) + step] ?? null);
  } else if (event.key === 'Home' || event.key === 'End') {
    event.preventDefault();
    go((event.key === 'Home' ? posts[0] : posts.at(-1)) ?? null);
  } else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
    event.preventDefault();
    onMenu(postId, event.target as Element);
  }
}

function onClick(event: MouseEvent, { onOpen, onMenu }: PostListProps): void {
  const postId = postOf(event.target);
  if (postId === null) return;
  const menu = (event.target as Element).closest('[data-menu]');
  if (menu !== null) {
    onMenu(postId, menu);
    return;
  }
  // With a key that opens another tab or window the browser follows the link.
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  onOpen(postId);
}

function onMenuKey(event: MouseEvent, { onMenu }: PostListProps): void {
  const postId = postOf(event.target);
  if (postId === null) return;
  event.preventDefault();
  onMenu(postId, event.target as Element);
}

function focusWhenDrawn(scroller: HTMLElement | null, postId: string, frames: number): void {
  const link = scroller?.querySelector<HTMLElement>(`[data-item="${CSS.escape(postId)}"]`);
  if (link !== null && link !== undefined) link.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusWhenDrawn(scroller, postId, frames - 1));
}
