export const ROLES = ['ingress', 'workspace', 'scheduler', 'publisher'] as const;

export type Role = (typeof ROLES)[number];
