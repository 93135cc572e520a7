import type { Channel } from '../channel/channel.ts';
import type { ChannelOptions } from './channel-options.ts';

export interface Draft {
  readonly text: string;
  readonly placement: 'feed' | 'story';
  /** All that a Network may judge a Post by: Channels with equal facts are judged once. */
  readonly channel: Pick<Channel, 'network' | 'kind'>;
  /** Of the Channel, those that concern its Network. */
  readonly options: ChannelOptions;
  /** In order; the files that a Member gave, not their renditions. */
  readonly media: readonly DraftFile[];
}

export interface DraftFile {
  /** null: not known yet. */
  readonly kind: 'image' | 'video' | null;
  /** '' = not known yet. */
  readonly contentType: string;
  readonly bytes: number | null;
  /** Videos only; left out: not known yet. */
  readonly durationMs?: number | null;
  /** '' = none. */
  readonly altText: string;
}
