import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import { webAddress } from './web-address.ts';

export interface OutsideLinkProps {
  /** Of a Network, or of anybody else. */
  readonly href: string;
  readonly children: ReactNode;
}

/** A link that leaves the app, in a new tab. An address that is none of the web is shown as text. */
export function OutsideLink({ href, children }: OutsideLinkProps) {
  const address = webAddress(href);
  if (address === null) return <bdi>{href}</bdi>;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {children}
      <Icon name="external" />
      <span className="visually-hidden">, in a new tab</span>
    </a>
  );
}
