import { memo } from 'react';
import { APP_PATH } from '../../../address/app-path.ts';
import { Icon } from '../../../parts/icon.tsx';
import { NetworkMark, networkName } from '../../../parts/network-mark.tsx';
import { ViaMark } from '../../../parts/via-mark.tsx';
import { dayWords } from '../time/time-texts.ts';
import { STATUS_ICONS } from './status-icons.ts';
import type { PlacedCard } from './placed-card.ts';
import { isolating } from '../../../parts/isolating.ts';
import './post-card.css';

/** `block`: two lines, in hours and lists. `line`: one line, in months. */
export type CardLook = 'block' | 'line';

export interface PostCardProps {
  readonly placed: PlacedCard;
  readonly look: CardLook;
  readonly workspaceId: string;
  readonly isMovable: boolean;
  /** Which of its controls is in the order of Tab: its link, its menu, or none. */
  readonly tabStop: 'link' | 'menu' | null;
}

const MAX_MARKS = 3;

/**
 * A Post in the calendar. It handles nothing itself: what contains thousands of them listens once, and finds the Post
 * by `data-post`. Its parts stand in the order in which they are read: first words, time, Networks, status; where they
 * are seen is the style's.
 */
export const PostCard = memo(function PostCard({ placed, look, workspaceId, isMovable, tabStop }: PostCardProps) {
  const { card, wall, time, status, statusWords, networks, words } = placed;
  return (
    <div className={`card card-${look} card-${status}`} data-post={card.id} draggable={isMovable}>
      <a
        className="card-link"
        href={`${APP_PATH}/posts/${card.id}?workspace=${workspaceId}`}
        tabIndex={tabStop === 'link' ? 0 : -1}
        data-item={card.id}
        data-list-item=""
        draggable={false}
      >
        <span className="card-text" dir="auto" title={words}>
          {words}
        </span>
        <span className="card-time">
          <span className="visually-hidden">{dayWords(wall.date)}, </span>
          {time}
          {wall.isSecond ? <span className="visually-hidden"> for the second time</span> : null}
        </span>
        <span className="card-networks">
          {networks.slice(0, MAX_MARKS).map((network) => (
            <NetworkMark key={network} network={network} isNameHidden />
          ))}
          {networks.length > MAX_MARKS ? <MoreNetworks networks={networks.slice(MAX_MARKS)} /> : null}
        </span>
        <span className={`card-status status-${status}`}>
          <Icon name={STATUS_ICONS[status]} />
          <span className={look === 'line' ? 'visually-hidden' : 'card-status-words'}>{statusWords}</span>
        </span>
        {card.via === null ? null : (
          <span className="card-via">
            <ViaMark via={card.via} areWordsHidden />
          </span>
        )}
        {card.thumbnail === null || look === 'line' ? null : (
          <img
            // Another picture is another element: in this one the old picture would stay until the new one has come.
            key={card.thumbnail}
            className="card-picture"
            src={card.thumbnail}
            alt=""
            loading="lazy"
            decoding="async"
            draggable={false}
          />
        )}
      </a>
      <button
        type="button"
        className="card-menu"
        aria-label={isolating`Actions for ${words}, ${time}`}
        aria-haspopup="menu"
        tabIndex={tabStop === 'menu' ? 0 : -1}
        data-item={`menu ${card.id}`}
        data-menu=""
      >
        <Icon name="more" />
      </button>
    </div>
  );
});

function MoreNetworks({ networks }: { readonly networks: PlacedCard['networks'] }) {
  return (
    <span>
      +{networks.length}
      <span className="visually-hidden">: {networks.map(networkName).join(', ')}</span>
    </span>
  );
}
