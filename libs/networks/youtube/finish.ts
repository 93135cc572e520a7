import { readBytes } from '../contract/read-bytes.ts';
import { call, listAt, summaryOf, type CallResult } from '../http/call.ts';
import { UPLOAD_TIMEOUT_MS } from '../contract/waits.ts';
import { youtubeFailure, youtubeGet, youtubePost, type YouTubeWork } from './calls.ts';

const MAX_COVER_BYTES = 2 * 1024 * 1024;
/** Of what is said of one thing that did not work, so that a summary has room for several. */
const MAX_WORDS = 120;

/**
 * Gives a live video its cover and puts it into its playlists. Answers what did not work, in words for the attempts'
 * list; the video is live all the same. Doing it again after a crash changes nothing: a cover replaces the one before,
 * and a playlist is asked first whether it has the video.
 */
export async function finish(work: YouTubeWork, video: string): Promise<readonly string[]> {
  const missed: string[] = [];
  const cover = await setCover(work, video);
  if (cover !== null) missed.push(`its cover could not be set: ${cover}`);
  for (const playlist of new Set(work.publication.options.playlistIds)) {
    const problem = await putInPlaylist(work, video, playlist);
    if (problem !== null) missed.push(`it could not be put into playlist ${playlist}: ${problem}`);
  }
  return missed;
}

/** null: done, or nothing to do. */
async function setCover(work: YouTubeWork, video: string): Promise<string | null> {
  const { at, publication } = work;
  if (publication.cover?.kind !== 'picture') return null;
  const { file } = publication.cover;
  if (file.bytes > MAX_COVER_BYTES) return 'YouTube takes covers of at most 2 MB';
  const body = await readBytes(file, 0, file.bytes);
  if (body === null || body === 'missing') return 'the picture could not be read';
  const called = await call(publication.http, {
    method: 'POST',
    url: `${at.upload}/thumbnails/set?${new URLSearchParams({ videoId: video, uploadType: 'media' })}`,
    headers: { authorization: `Bearer ${publication.accessToken}`, 'content-type': file.contentType },
    body,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  return problemIn(work, called);
}

/** null: the video is in it. YouTube would list a video twice that is put in twice. */
async function putInPlaylist(work: YouTubeWork, video: string, playlist: string): Promise<string | null> {
  const listed = await youtubeGet(work, '/playlistItems', {
    part: 'id',
    playlistId: playlist,
    videoId: video,
    maxResults: '1',
  });
  const problem = problemIn(work, listed);
  if (problem !== null) return problem;
  if (listed.kind === 'answered' && listAt(listed.json, 'items').length > 0) return null;
  const resourceId = { kind: 'youtube#video', videoId: video };
  return problemIn(work, await youtubePost(work, '/playlistItems', { snippet: { playlistId: playlist, resourceId } }));
}

function problemIn({ publication }: YouTubeWork, called: CallResult): string | null {
  if (called.kind === 'answered' && called.status === 200) return null;
  const secrets = [publication.accessToken];
  const { detail } = youtubeFailure(called, publication.now, secrets).failure;
  const words = summaryOf(called, detail, secrets).detail;
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS - 1).toWellFormed()}…` : words;
}
