import { type SandboxAnswer, json, textOf } from '../exchange.ts';
import { graphError } from './graph-errors.ts';

/** The errors of a video or of its upload: by code where it is short, else by a subcode of 6000. */
export const VIDEO_PROBLEMS = {
  1363024: 'The video file format is not supported.',
  1363019: 'There was a problem uploading your video file. Please try again.',
  1363020: 'There was a problem uploading your video file. Please try again.',
  1363021: 'There was a problem uploading your video file. Please try again.',
  1363022: 'The video file is smaller than 1 KB.',
  1363023: 'The video file is too large.',
  1363025: 'The video is too short.',
  1363026: 'The video is too long.',
  1363030: 'The video upload timed out. Please try again.',
  1363031: 'The video file could not be read.',
  1363032: 'The video file is corrupt.',
  1363033: 'The video upload was interrupted: not all of it came.',
  1363037: 'There was a problem uploading your video: the start offset is not the expected one. Please try again.',
  1363041: 'Invalid upload session: it has expired, or has ended.',
  1363042: 'You do not have permission for this upload.',
  1363045: 'The size of the upload differs from file_size.',
  1363047: 'Video uploads are temporarily unavailable. Please try again later.',
  351: '(#351) There was a problem with your video file. Please try again with another file.',
  352: '(#352) The video file format or resolution is not supported.',
  382: '(#382) The video file you tried to upload is too small.',
  389: '(#389) Unable to fetch video file from URL.',
  6000: '(#6000) There was a problem uploading your video file. Please try again with another file.',
  6001: '(#6001) There was a problem uploading your video. Please try again.',
} as const;
export type VideoProblem = keyof typeof VIDEO_PROBLEMS;

const FIRST_SUBCODE = 1_000_000;

export function videoProblem(problem: VideoProblem): SandboxAnswer {
  const message = VIDEO_PROBLEMS[problem];
  if (problem < FIRST_SUBCODE) return graphError({ code: problem, message });
  return graphError({ code: 6000, subcode: problem, message, title: 'Problem With Your Video', userMessage: message });
}

/** Names the offset at which to continue. */
export function wrongOffset(from: number, to: number): SandboxAnswer {
  const answer = videoProblem(1363037);
  const { error } = JSON.parse(textOf(answer)) as { readonly error: object };
  return json(answer.status, {
    error: { ...error, error_data: { start_offset: String(from), end_offset: String(to) } },
  });
}
