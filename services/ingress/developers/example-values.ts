/** What examples name where a reader puts in values of their own. Tests put in those of a real server. */
export const EXAMPLE = {
  /** Pages replace it by the public address of the installation. */
  publicUrl: 'https://crier.example.com',
  /** Pages replace it by an instant that is two days ahead, which a Post may be scheduled for. */
  soon: '2026-06-01T09:00:00Z',
  channelId: '019a5e10-0000-7000-8000-0000000000c1',
  postId: '019a5e10-0000-7000-8000-0000000000d1',
  variantId: '019a5e10-0000-7000-8000-0000000000e1',
  assetId: '019a5e10-0000-7000-8000-0000000000a1',
  endpointId: '019a5e10-0000-7000-8000-0000000000b1',
  deliveryId: '019a5e10-0000-7000-8000-0000000000f1',
} as const;

export interface PageValues {
  /** Without a slash at its end. */
  readonly publicUrl: string;
  /** An ISO 8601 date-time. */
  readonly soon: string;
}

const DAY_MS = 86_400_000;
const NINE_HOURS_MS = 9 * 3_600_000;

/** Values for pages that are read on the day of `nowMs`, in milliseconds since the epoch. */
export function pageValuesOf(publicUrl: string, nowMs: number): PageValues {
  const soon = new Date(Math.floor(nowMs / DAY_MS) * DAY_MS + 2 * DAY_MS + NINE_HOURS_MS);
  return { publicUrl: publicUrl.replace(/\/$/, ''), soon: soon.toISOString().replace('.000', '') };
}

/** A text for readers of this installation. */
export function withValues(text: string, { publicUrl, soon }: PageValues): string {
  return text.replaceAll(EXAMPLE.publicUrl, publicUrl).replaceAll(EXAMPLE.soon, soon);
}
