import type { DeliveryBody } from '#domain/webhook/render.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';

const STATES: Readonly<Record<DeliveryBody['state'], { readonly icon: IconName; readonly word: string }>> = {
  pending: { icon: 'clock', word: 'Under way' },
  succeeded: { icon: 'check', word: 'Delivered' },
  failed: { icon: 'alert', word: 'Given up' },
};

/** How far a delivery has come. */
export function DeliveryState({ delivery: { state, nextAttemptAt } }: { readonly delivery: DeliveryBody }) {
  const { icon, word } = STATES[state];
  return (
    <span className={`delivery-${state}`}>
      <Icon name={icon} /> {word}
      {nextAttemptAt === null ? null : (
        <span className="webhook-soft">
          , next attempt <Time at={nextAttemptAt} />
        </span>
      )}
    </span>
  );
}
