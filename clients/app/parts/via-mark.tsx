import { Icon } from './icon.tsx';
import './via-mark.css';

/** What made a Post, when no person did by hand. */
export interface ShownVia {
  readonly kind: 'key' | 'app';
  readonly name: string;
  /** The Member that it acted for; null: not known any more. */
  readonly by: string | null;
}

export interface ViaMarkProps {
  /** Null: by hand, which has no mark. */
  readonly via: ShownVia | null;
  /** For small cards: the mark, with the words for readers. */
  readonly areWordsHidden?: boolean;
}

/** The API key or the app that made a Post, and for whom. */
export function ViaMark({ via, areWordsHidden = false }: ViaMarkProps) {
  if (via === null) return null;
  const words = viaWords(via);
  return (
    <span className="via-mark" title={areWordsHidden ? words : undefined}>
      <Icon name={via.kind === 'key' ? 'key' : 'plug'} />
      <bdi className={areWordsHidden ? 'visually-hidden' : undefined}>{words}</bdi>
    </span>
  );
}

/** "by the key nightly import, for Ada". */
function viaWords({ kind, name, by }: ShownVia): string {
  return `by the ${kind} ${name}${by === null ? '' : `, for ${by}`}`;
}
