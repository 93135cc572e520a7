export const PLANS = ['free', 'pro', 'agency'] as const;
export type PlanName = (typeof PLANS)[number];

export interface PlanLimits {
  readonly channels: number;
  readonly postsPerMonth: number;
  readonly storageBytes: number;
  /** null: no limit. */
  readonly members: number | null;
}

const GIB = 1024 ** 3;

/** Ascending: a later Plan is never smaller in anything. */
export const PLAN_LIMITS: Readonly<Record<PlanName, PlanLimits>> = {
  free: { channels: 6, postsPerMonth: 60, storageBytes: GIB, members: 2 },
  pro: { channels: 30, postsPerMonth: 2_000, storageBytes: 50 * GIB, members: 10 },
  agency: { channels: 500, postsPerMonth: 200_000, storageBytes: 2048 * GIB, members: null },
};
