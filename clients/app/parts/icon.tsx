import './icon.css';

/** Drawn on 16 by 16 with a line of 1.5, in the colour of the text beside them. */
const PATHS = {
  alert: 'M8 2 14.5 13.5h-13L8 2Zm0 4.5v3.2m0 1.8v.2',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  audit: 'M4 2h8v12H4zM6.5 5.5h3M6.5 8h3m-3 2.5h2',
  calendar: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3m5-3v3',
  channels: 'M8 8h0M5 5a4 4 0 0 0 0 6m6-6a4 4 0 0 1 0 6M2.8 2.8a7.4 7.4 0 0 0 0 10.4m10.4 0a7.4 7.4 0 0 0 0-10.4',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  clock: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM8 4.5V8l2.4 1.6',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  cross: 'm4 4 8 8m0-8-8 8',
  dash: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM3.7 3.7l8.6 8.6',
  down: 'm4 6 4 4 4-4',
  draft: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9.3 4.5l2.2 2.2',
  external: 'M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9v4.5h-9v-9H7',
  key: 'M10.5 2.5a3 3 0 1 0 .1 0ZM8.3 7.6 2.5 13.5m2-2 1.5 1.5',
  left: 'm10 4-4 4 4 4',
  members:
    'M6 3a2.3 2.3 0 1 0 .1 0ZM2 13.5c0-2.5 1.7-4 4-4s4 1.5 4 4M10.5 3.3a2.2 2.2 0 0 1 0 4.2m1.5 2.3c1.3.6 2 1.9 2 3.7',
  menu: 'M2.5 4.5h11m-11 3.5h11m-11 3.5h11',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  plug: 'M6 2v3.5m4-3.5v3.5M4 5.5h8V8a4 4 0 0 1-8 0zM8 12v2.5',
  plus: 'M8 3v10M3 8h10',
  question: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM6.2 6.3a1.8 1.8 0 1 1 2.5 1.7c-.5.2-.7.5-.7 1m0 2v.1',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 2v3h-3',
  right: 'm6 4 4 4-4 4',
  search: 'M7 2.5a4.5 4.5 0 1 0 .1 0ZM10.3 10.3l3.2 3.2',
  send: 'M14 2 2 7l4.5 2L9 13.8zM14 2 6.5 9',
  settings: 'M2 4.5h6m4 0h2M10 2.8a1.7 1.7 0 1 0 .1 0ZM2 11.5h2m4 0h6M6 9.8a1.7 1.7 0 1 0 .1 0Z',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6',
  upload: 'M8 11V3M4.5 6.5 8 3l3.5 3.5M3 13.5h10',
  usage: 'M3 13.5V9m5 4.5v-11m5 11V6',
  webhooks:
    'M8 2.5a2.5 2.5 0 0 1 2 4l2 3.3M6 6.2 4 9.7m-.3 0a2.5 2.5 0 1 0 2.5 2.8H11m.7-2.8a2.5 2.5 0 1 1-2 3.8M6 6.2a2.5 2.5 0 0 1 2-3.7',
} as const;

export type IconName = keyof typeof PATHS;

/** Beside words; never the only sign of anything. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
