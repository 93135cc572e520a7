/** How far two machines' clocks may be apart: what comes earlier than this ahead of its time was not set off by a clock of ours. */
export const CLOCK_SKEW_MS = 5_000;
