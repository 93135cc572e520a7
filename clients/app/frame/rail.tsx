import { Link, type LinkProps } from '@tanstack/react-router';
import { Button } from '../parts/button.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import type { AppSession } from '../workspace/session.ts';
import './rail.css';
import { WorkspaceSwitch } from './workspace-switch.tsx';

interface RailLink {
  readonly to: NonNullable<LinkProps['to']>;
  readonly name: string;
  readonly icon: IconName;
}

/** The pages that the rail leads to, in its order. */
export const RAIL_LINKS: readonly RailLink[] = [
  { to: '/calendar', name: 'Calendar', icon: 'calendar' },
  { to: '/compose', name: 'Compose', icon: 'draft' },
  { to: '/channels', name: 'Channels', icon: 'channels' },
  { to: '/webhooks', name: 'Webhooks', icon: 'webhooks' },
  { to: '/keys', name: 'API keys', icon: 'key' },
  { to: '/apps', name: 'Apps', icon: 'plug' },
  { to: '/members', name: 'Members', icon: 'members' },
  { to: '/usage', name: 'Usage', icon: 'usage' },
  { to: '/audit', name: 'Audit', icon: 'audit' },
  { to: '/settings', name: 'Settings', icon: 'settings' },
];

export interface RailProps {
  readonly session: AppSession;
  /** Only where the page is narrow; else it is always open. */
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** The way to every page, at the side; where the page is narrow, behind a button at the top. */
export function Rail({ session, isOpen, onOpenChange }: RailProps) {
  return (
    <header
      className={isOpen ? 'rail rail-open' : 'rail'}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && isOpen) onOpenChange(false);
      }}
    >
      <div className="rail-top">
        <WorkspaceSwitch session={session} />
        <span className="rail-menu">
          <Button
            look="quiet"
            icon={isOpen ? 'cross' : 'menu'}
            aria-label="Pages"
            aria-expanded={isOpen}
            aria-controls="rail-pages"
            onPress={() => onOpenChange(!isOpen)}
          />
        </span>
      </div>
      <nav id="rail-pages" className="rail-pages" aria-label="Pages">
        <ul>
          {RAIL_LINKS.map(({ to, name, icon }) => (
            <li key={to}>
              <Link to={to} className="rail-link" activeProps={{ 'aria-current': 'page' }}>
                <Icon name={icon} />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}
