import type { ComponentProps, ReactElement } from 'react';
import { Focusable, Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components';
import './tooltip.css';

export interface TooltipProps {
  readonly text: string;
  /** One element that can have the focus. */
  readonly children: ReactElement;
}

const DELAY_MS = 500;

/** A few words more about a control, on hover and focus. Nothing that is needed stands only there. */
export function Tooltip({ text, children }: TooltipProps) {
  return (
    <TooltipTrigger delay={DELAY_MS} closeDelay={0}>
      <Focusable>{children as ComponentProps<typeof Focusable>['children']}</Focusable>
      <AriaTooltip className="tooltip" offset={6}>
        {text}
      </AriaTooltip>
    </TooltipTrigger>
  );
}
