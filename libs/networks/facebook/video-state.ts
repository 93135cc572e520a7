import type { Failure, ReconcileAnswer } from '../contract/adapter.ts';
import { neverKnown } from '../contract/answers.ts';
import { at, textAt, type CallResult } from '../http/call.ts';
import { graphGet } from '../graph/calls.ts';
import { TROUBLE } from '../graph/errors.ts';
import { TROUBLE_DELAY_MS } from '../contract/waits.ts';
import { processingFailureOf } from './errors.ts';
import { offsetOf } from './handle.ts';
import { objectUrl, type PageWork } from './calls.ts';

/** What Facebook says of a video that it has, or is getting. */
export interface VideoState {
  /** Bytes that have arrived; null when it doesn't say. */
  readonly received: number | null;
  readonly isUploaded: boolean;
  readonly isProcessing: boolean;
  /** It will never be live. */
  readonly failure: Failure | null;
  /** Whether going live was requested, and has happened. */
  readonly publishing: 'not begun' | 'under way' | 'done';
  /** Of feed videos only. */
  readonly isPublished: boolean | null;
  /** It is processed, and kept for a person to publish it. Before going live is requested, none is processed. */
  readonly isDraft: boolean;
  readonly postId: string | null;
  /** May lack the host. */
  readonly link: string | null;
}

export const FEED_FIELDS = 'status,published,permalink_url,post_id,length';
export const REEL_FIELDS = 'status,permalink_url,post_id';

const LOST: ReadonlySet<string> = new Set(['expired', 'upload_failed']);
const UPLOADED: ReadonlySet<string> = new Set(['upload_complete', 'processing', 'ready']);
const UNPUBLISHED: ReadonlySet<string> = new Set(['draft', 'scheduled', 'not_published']);

/** `state` null: it could not be read. */
export async function readVideo(
  work: PageWork,
  video: string,
  fields: string,
): Promise<{ readonly state: VideoState | null; readonly called: CallResult }> {
  const called = await graphGet(work.publication, `${objectUrl(work, video)}?fields=${fields}`);
  const json = called.kind === 'answered' && called.status === 200 ? called.json : null;
  return { state: json === null || textAt(json, 'error', 'message') !== null ? null : stateOf(json), called };
}

function stateOf(json: unknown): VideoState {
  const status = at(json, 'status');
  const videoStatus = textAt(status, 'video_status') ?? '';
  const [uploading, processing, publishing] = [
    phaseOf(status, 'uploading_phase'),
    phaseOf(status, 'processing_phase'),
    phaseOf(status, 'publishing_phase'),
  ];
  const isPublished = at(json, 'published');
  return {
    received: receivedOf(at(status, 'uploading_phase')),
    isUploaded: uploading.is === 'complete' || UPLOADED.has(videoStatus),
    isProcessing: videoStatus === 'processing' || processing.is === 'in progress',
    failure: failureIn(videoStatus, uploading, [processing, publishing]),
    publishing: publishingOf(status, videoStatus, publishing),
    isPublished: typeof isPublished === 'boolean' ? isPublished : null,
    isDraft: videoStatus === 'ready' && textAt(status, 'publishing_phase', 'publish_status') === 'draft',
    postId: textAt(json, 'post_id'),
    link: textAt(json, 'permalink_url'),
  };
}

/** `bytes_transfered` is how Facebook's older guides spell it. */
function receivedOf(phase: unknown): number | null {
  return offsetOf(at(phase, 'bytes_transferred')) ?? offsetOf(at(phase, 'bytes_transfered'));
}

interface Phase {
  readonly is: 'complete' | 'in progress' | 'error' | 'not begun';
  readonly error: unknown;
}

function phaseOf(status: unknown, name: string): Phase {
  const phase = at(status, name);
  const word = textAt(phase, 'status');
  const error = at(phase, 'error') ?? at(phase, 'errors', 0);
  if (word === 'complete' || word === 'completed') return { is: 'complete', error };
  if (word === 'error') return { is: 'error', error };
  return { is: word === 'in_progress' ? 'in progress' : 'not begun', error };
}

function publishingOf(status: unknown, videoStatus: string, phase: Phase): VideoState['publishing'] {
  const word = textAt(status, 'publishing_phase', 'publish_status') ?? '';
  if (UNPUBLISHED.has(word)) return 'not begun';
  if (phase.is === 'complete' || (word === 'published' && videoStatus === 'ready')) return 'done';
  return phase.is === 'in progress' || word === 'published' ? 'under way' : 'not begun';
}

function failureIn(videoStatus: string, uploading: Phase, later: readonly Phase[]): Failure | null {
  if (LOST.has(videoStatus) || uploading.is === 'error') {
    return {
      ...TROUBLE,
      delayMs: TROUBLE_DELAY_MS,
      detail: textAt(uploading.error, 'message') ?? `the upload is ${videoStatus || 'lost'}`,
    };
  }
  const broken = later.find(({ is }) => is === 'error');
  return broken !== undefined || videoStatus === 'error' ? processingFailureOf(broken?.error) : null;
}

const OFTEN_MS = 5_000;
const SELDOM_MS = 15_000;
const OFTEN_ASKED = 6;
const PROCESSING_MS = 30 * 60_000;

/** Between two looks at a video whose going live was requested. */
export function lookAgainMs({ at: { waitFactor } }: PageWork, asked: number): number {
  return (asked < OFTEN_ASKED ? OFTEN_MS : SELDOM_MS) * waitFactor;
}

/** Whether a video has been at work for longer than any takes. */
export function isOverdue({ at: { waitFactor }, publication }: PageWork, armedAt: number): boolean {
  return publication.now - armedAt > PROCESSING_MS * waitFactor;
}

/** Facebook processes a video that is to go live. When that takes longer than any video, the outcome stays unknown. */
export function stillProcessing(
  work: PageWork,
  { armedAt, asked }: { readonly armedAt: number; readonly asked: number },
  summary: ReconcileAnswer['summary'],
): ReconcileAnswer {
  return isOverdue(work, armedAt)
    ? neverKnown(summary)
    : { kind: 'processing', delayMs: lookAgainMs(work, asked), summary };
}
