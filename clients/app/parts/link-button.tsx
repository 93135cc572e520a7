import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes } from 'react';
import { buttonClass, type ButtonLook } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

interface LinkButtonAnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly look?: ButtonLook;
  readonly icon?: IconName;
}

function LinkButtonAnchor({ look = 'plain', icon, children, ...props }: LinkButtonAnchorProps) {
  return (
    <a {...props} className={buttonClass(look, children === undefined)}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </a>
  );
}

/** A link to a page of the app that looks like a button: `<LinkButton to="/compose" look="primary">Write a Post`. */
export const LinkButton = createLink(LinkButtonAnchor);
