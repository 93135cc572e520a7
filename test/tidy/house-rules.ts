import { ARROWS } from './arrows.ts';
import { CALLS, CONSTRUCTS, NO_HTML, PROMISES } from './banned.ts';
import { NAMED_EVENTS, REPORTED_EVENTS } from './catalogue.ts';
import { CYCLES } from './cycles.ts';
import { DEAD_FILES } from './dead-files.ts';
import { COMMENTED_FILES, GUARANTEES, LINKS, NAMED_FILES, NAMED_METRICS, NAMED_SETTINGS, VERBS } from './docs.ts';
import { ENVIRONMENT, UNREAD_SETTINGS } from './environment.ts';
import { DEAD_EXPORTS, HOMONYMS, NOUNS } from './exports.ts';
import { FILE_NAMES, NO_BARRELS, NO_DEFAULTS } from './names.ts';
import { EXACT_VERSIONS, NO_PLACES, NO_REPORTS } from './packages.ts';
import { FILE_SIZES, FUNCTION_SIZES, LINE_WIDTHS } from './sizes.ts';
import { RUNBOOK } from './runbook.ts';
import type { Rule } from './tree.ts';

export const HOUSE_RULES: readonly Rule[] = [
  ARROWS,
  CYCLES,
  FILE_SIZES,
  FUNCTION_SIZES,
  LINE_WIDTHS,
  CALLS,
  CONSTRUCTS,
  NO_HTML,
  PROMISES,
  ENVIRONMENT,
  UNREAD_SETTINGS,
  FILE_NAMES,
  NO_BARRELS,
  NO_DEFAULTS,
  DEAD_FILES,
  DEAD_EXPORTS,
  HOMONYMS,
  NOUNS,
  EXACT_VERSIONS,
  NO_PLACES,
  NO_REPORTS,
  LINKS,
  NAMED_FILES,
  COMMENTED_FILES,
  GUARANTEES,
  VERBS,
  NAMED_SETTINGS,
  NAMED_METRICS,
  NAMED_EVENTS,
  REPORTED_EVENTS,
  RUNBOOK,
];
