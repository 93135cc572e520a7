import { DOORS } from './boards/doors.ts';
import { ENGINES } from './boards/engines.ts';
import { MEDIA } from './boards/media.ts';
import { OVERVIEW } from './boards/overview.ts';
import { PUBLISHERS } from './boards/publishers.ts';
import { WEBHOOKS } from './boards/webhooks.ts';
import { WORKSPACES } from './boards/workspaces.ts';
import type { Dashboard } from './panel.ts';

/** In the order in which somebody goes through them. */
export const DASHBOARDS: readonly Dashboard[] = [OVERVIEW, WORKSPACES, PUBLISHERS, MEDIA, WEBHOOKS, ENGINES, DOORS];

/** Metrics of the catalogue that no panel shows, and why. */
export const WITHOUT_PANEL: Readonly<Record<string, string>> = {
  crier_canary_every_seconds: 'a setting, which does not change while a process runs: an alert reads it',
  crier_clock_ahead_seconds:
    'an alert compares the clock itself with that of Prometheus: this one says in its case what the process found',
  crier_clock_leap_seconds: 'a leap is over within a minute, and readiness names it: the runbook says when to look',
  crier_picture_copies_total:
    'nothing depends on the pictures of accounts: the runbook says when to look, and a line of the log names each failure',
};
