/** In every world. */
export const ROLES = ['ingress', 'workspace', 'scheduler', 'publisher'] as const;
const ROLES_OF_SOME = ['webhooks', 'media'] as const;
/**
 * In some worlds: what they do costs steps that most worlds do without. `members` are people, and no role of a process.
 */
export const PARTS = [...ROLES_OF_SOME, 'members'] as const;

export type Part = (typeof PARTS)[number];
export type SimulatedRole = (typeof ROLES)[number] | (typeof ROLES_OF_SOME)[number];

/** Of this release's roles, those whose processes run in the world. */
export function rolesWith(parts: readonly Part[]): readonly SimulatedRole[] {
  return [...ROLES, ...furtherRoles(parts)];
}

/** Those that most worlds do without. */
export function furtherRoles(parts: readonly Part[]): readonly SimulatedRole[] {
  return ROLES_OF_SOME.filter((role) => parts.includes(role));
}

/** One world in so many, at even distances: any fifty worlds that follow each other have some of each kind. */
const ONE_IN: Readonly<Record<Part, number>> = { webhooks: 7, media: 17, members: 5 };

/** Of most seeds none: their worlds are what they would be without these parts. */
export function drawParts(seed: number): readonly Part[] {
  return PARTS.filter((part) => seed % ONE_IN[part] === 0);
}
