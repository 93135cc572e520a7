import {
  Text,
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastContent as AriaToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as AriaToastRegion,
} from 'react-aria-components';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import './toast.css';

export interface ToastWords {
  /** What was done: "3 Posts were cancelled." */
  readonly message: string;
  /** Default: done. */
  readonly tone?: 'done' | 'failed';
  /** Called once at most, while the toast is there. */
  readonly undo?: () => void;
  /** How long it stays, when nobody is over it or in it. Default: 10 s with an undo, else 6 s; failures stay. */
  readonly forMs?: number;
}

/** How long something can be undone. */
export const UNDO_MS = 10_000;
const SHORT_MS = 6_000;
const MAX_VISIBLE = 3;

const queue = new ToastQueue<ToastWords>({ maxVisibleToasts: MAX_VISIBLE });

/** Says in a corner what came of an action, to readers too. Returns what takes it away. */
export function showToast(words: ToastWords): () => void {
  const stays = words.tone === 'failed' && words.undo === undefined;
  const timeout = words.forMs ?? (words.undo === undefined ? SHORT_MS : UNDO_MS);
  const key = queue.add(words, stays && words.forMs === undefined ? {} : { timeout });
  return () => queue.close(key);
}

/** Where toasts appear: once in the frame. F6 leads there. */
export function ToastRegion() {
  return (
    <AriaToastRegion queue={queue} className="toast-region" aria-label="Messages">
      {({ toast }) => {
        const { message, tone = 'done', undo } = toast.content;
        return (
          <AriaToast toast={toast} className={`toast toast-${tone}`}>
            <Icon name={tone === 'failed' ? 'alert' : 'check'} />
            <AriaToastContent className="toast-words">
              <Text slot="title">{message}</Text>
            </AriaToastContent>
            {undo === undefined ? null : (
              <Button
                icon="undo"
                onPress={() => {
                  queue.close(toast.key);
                  undo();
                }}
              >
                Undo
              </Button>
            )}
            <Button slot="close" look="quiet" icon="cross" aria-label="Close" />
          </AriaToast>
        );
      }}
    </AriaToastRegion>
  );
}
