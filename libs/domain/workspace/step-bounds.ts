/**
 * How much one step of a long command may touch, so that a turn with it fits the store and the log, and takes no longer
 * than others can wait.
 */

/** Variants in one `VariantsDue` command, and those that one step of a sweep ends. */
export const MAX_STEP_VARIANTS = 100;
/** Variants of one Post in a step: each may end in an event that carries the whole Post. */
export const MAX_STEP_VARIANTS_OF_POST = 20;
/** Variants in a step whose files failed: each of them ends in such an event. */
export const MAX_STEP_FAILURES = 4;
/** Posts that one step of a sweep looks at. */
export const MAX_STEP_POSTS = 100;
