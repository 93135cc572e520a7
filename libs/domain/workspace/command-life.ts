/**
 * A command is not carried out later than this after it was sent, so that a request that its client gave up takes no
 * effect much later.
 */
export const COMMAND_LIFE_MS = 60_000;
