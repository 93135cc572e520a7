export const NETWORKS = ['facebook', 'instagram', 'tiktok', 'youtube', 'x', 'threads'] as const;
export type Network = (typeof NETWORKS)[number];

export const PLACEMENTS = ['feed', 'story'] as const;
export type Placement = (typeof PLACEMENTS)[number];
