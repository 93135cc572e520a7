import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Icon } from '../parts/icon.tsx';
import './bands.css';

/** While the browser has no network: what is shown may be old, and nothing is lost. */
export function OfflineBanner() {
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  return (
    <div role="status">
      {isOnline ? null : (
        <p className="band band-offline">
          <Icon name="alert" />
          You are offline. You see what was loaded last; what you write is kept in this browser.
        </p>
      )}
    </div>
  );
}
