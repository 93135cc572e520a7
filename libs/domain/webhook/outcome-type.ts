export const OUTCOME_TYPES = ['variant.published', 'variant.failed'] as const;

export type OutcomeType = (typeof OUTCOME_TYPES)[number];
