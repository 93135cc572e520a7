import type { Dice } from './dice.ts';
import { FILE_ACTIONS, type FileAction } from './file-deeds.ts';
import type { Part } from './roles.ts';
import { WEBHOOK_ACTIONS, type WebhookAction } from './webhook-deeds.ts';

/** What a client does next, and how often in relation to the rest. */
const ACTIONS = {
  'create now': 5,
  'create later': 6,
  'create the last again': 3,
  'create under one key': 2,
  'send one command twice': 3,
  'create what is refused': 1,
  cancel: 3,
  'cancel when due': 2,
  retry: 5,
  'reconnect what is lost': 2,
  'disconnect and reconnect': 1,
  'change the plan': 1,
  'buy credits': 1,
  'create far ahead': 1,
  'create many at once': 1,
  'end a credential': 1,
} as const;

/** How a client writes a scheduled Post anew. */
const EDIT_ACTIONS = {
  replace: 2,
  'replace when due': 3,
  'replace twice at once': 2,
  'replace by what is refused': 1,
  move: 2,
  'move when due': 2,
} as const;
export type EditAction = keyof typeof EDIT_ACTIONS;

/** In place of one deed in so many, by dice of their own: the other deeds are what they would be without these. */
const FURTHER_SHARE = 0.15;
const FURTHER_ACTIONS = { ...EDIT_ACTIONS, 'create in bulk': 4 } as const;
/** In place of one deed in so many: as many commands as the rest of its world has. */
const LARGE_SHARE = 0.0005;

export type Action =
  'fill with keys' | keyof typeof ACTIONS | keyof typeof FURTHER_ACTIONS | WebhookAction | FileAction;
export type ActionShares = Readonly<Partial<Record<Action, number>>>;

export function isEdit(deed: Action): deed is EditAction {
  return deed in EDIT_ACTIONS;
}

export function isOfFiles(deed: Action): deed is FileAction {
  return deed in FILE_ACTIONS;
}

export function isOfWebhooks(deed: Action): deed is WebhookAction {
  return deed in WEBHOOK_ACTIONS;
}

/** What clients do in a world that runs these parts. */
export function drawAction(dice: Dice, further: Dice, parts: readonly Part[]): Action {
  if (further.chance(FURTHER_SHARE)) return further.choose(FURTHER_ACTIONS);
  if (further.chance(LARGE_SHARE)) return 'fill with keys';
  return dice.choose<Action>({
    ...ACTIONS,
    ...(parts.includes('webhooks') && WEBHOOK_ACTIONS),
    ...(parts.includes('media') && FILE_ACTIONS),
  });
}
