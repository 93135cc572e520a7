export const ROLES = ['ingress', 'workspace', 'scheduler', 'publisher'] as const;

export type SimulatedRole = (typeof ROLES)[number];
