/** In every world. */
export const ROLES = ['ingress', 'workspace', 'scheduler', 'publisher'] as const;
/** In some worlds: what they do costs steps that most worlds do without. */
export const PARTS = ['webhooks', 'media'] as const;

export type Part = (typeof PARTS)[number];
export type SimulatedRole = (typeof ROLES)[number] | Part;

/** Of this release's roles, those whose processes run in the world. */
export function rolesWith(parts: readonly Part[]): readonly SimulatedRole[] {
  return [...ROLES, ...PARTS.filter((part) => parts.includes(part))];
}

/** One world in so many, at even distances: any fifty worlds that follow each other have some of each kind. */
const ONE_IN: Readonly<Record<Part, number>> = { webhooks: 7, media: 17 };

/** Of most seeds none: their worlds are what they would be without these roles. */
export function drawParts(seed: number): readonly Part[] {
  return PARTS.filter((part) => seed % ONE_IN[part] === 0);
}
