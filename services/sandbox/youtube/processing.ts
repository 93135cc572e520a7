import type { SandboxFile } from '../files/files.ts';
import type { YoutubeOptions } from './upload-request.ts';
import { FAILURES, REJECTED, videoIdOf, type Metadata, type UploadSession, type YoutubeVideo } from './videos.ts';

const PROCESSING_MS = 30_000;
const MAX_UNVERIFIED_MS = 15 * 60_000;

/** Why there will be no video; null: there will be one. */
function reasonOf({ contentType, durationMs }: SandboxFile, fate: UploadSession['fate']): string | null {
  if (contentType !== 'video/mp4' && contentType !== 'video/quicktime') return 'invalidFile';
  if (durationMs > MAX_UNVERIFIED_MS) return 'length';
  if (fate?.fault === 'duplicate') return 'duplicate';
  return fate?.fault === 'processing_failed' ? (fate.reason ?? FAILURES[0]!).replace(REJECTED, '') : null;
}

/**
 * The upload is complete: there is a video, and its outcome is decided. It is shown from now on, unless processing
 * fails.
 */
export function complete(session: UploadSession, now: number, options: YoutubeOptions): YoutubeVideo {
  const { accountId, fate } = session;
  const metadata = isUnaudited(options) ? lockedAway(session.metadata) : session.metadata;
  const file = options.files.seal(session.sessionId);
  const reason = reasonOf(file, fate);
  const isFailure = reason !== null && FAILURES.includes(reason);
  const video: YoutubeVideo = {
    videoId: videoIdOf(options.remoteIds.next()),
    ...{ accountId, metadata, file, uploadedAt: now },
    readyAt: fate?.fault === 'processing_stuck' ? null : now + options.timing.scaled('youtube', PROCESSING_MS),
    failureReason: isFailure ? reason : null,
    rejectionReason: isFailure ? null : reason,
  };
  options.videos.put(video);
  options.videos.putSession({ ...session, videoId: video.videoId });
  options.quota.use(accountId, now);
  if (reason === null) goLive(video, options);
  return video;
}

const isUnaudited = ({ appStates }: YoutubeOptions): boolean => appStates.get('youtube').state === 'unaudited';

/** Whatever an app that Google has not audited asks for, only the channel itself sees its videos. */
const lockedAway = (metadata: Metadata): Metadata => ({
  ...metadata,
  privacy: 'private',
  options: { ...metadata.options, privacy: 'private' },
});

function goLive({ videoId, accountId, metadata, file, uploadedAt }: YoutubeVideo, { items }: YoutubeOptions): void {
  items.add({
    network: 'youtube',
    accountId,
    remoteId: videoId,
    placement: 'feed',
    text: metadata.description,
    title: metadata.title,
    media: [{ sha256: file.sha256, bytes: file.bytes, contentType: file.contentType }],
    altTexts: [null],
    publishedAt: uploadedAt,
    path: `/sim/youtube/watch?v=${videoId}`,
    options: metadata.options ?? {},
  });
}
