import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import './button.css';
import { Icon, type IconName } from './icon.tsx';

/** `primary`: the one thing this page is for. `danger`: ends or removes something. `quiet`: within a row or a bar. */
export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  /** Default: plain. */
  readonly look?: ButtonLook;
  readonly icon?: IconName;
  /** Absent: the icon alone, with `aria-label` as its name. */
  readonly children?: ReactNode;
}

/** Does something. What leads elsewhere is a `LinkButton`. */
export function Button({ look = 'plain', icon, children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={buttonClass(look, children === undefined)}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </AriaButton>
  );
}

export function buttonClass(look: ButtonLook, isIconOnly = false): string {
  return `button button-${look}${isIconOnly ? ' button-icon' : ''}`;
}
