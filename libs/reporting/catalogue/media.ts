import { NETWORKS } from '#domain/network.ts';
import { counts, event, observes } from '../event.ts';
import { id, milliseconds, number, optional, text, word } from '../fact.ts';
import { counter, gauge, histogram } from '../metric.ts';

const MEDIA_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800, 7200];

const fetches = histogram(
  'crier_file_fetch_duration_seconds',
  'Fetches of files that Posts name by address',
  MEDIA_SECONDS,
  ['outcome'],
);
const renditions = histogram(
  'crier_rendition_duration_seconds',
  'Conversions of a file to what a Network takes',
  MEDIA_SECONDS,
  ['kind', 'outcome'],
);
const renditionWait = histogram(
  'crier_rendition_wait_seconds',
  'Time that a conversion waited for cores of this machine',
  MEDIA_SECONDS,
  ['kind'],
);
const preparations = counter(
  'crier_media_preparations_total',
  'Variants whose files became ready, or can not be made ready',
  ['network', 'outcome'],
);
const lateness = histogram(
  'crier_media_lateness_seconds',
  'From the instant a scheduled Variant was due to when all of its files were ready; 0 where they were ready in time. Posts that are published at once are not in it',
  MEDIA_SECONDS,
  ['network'],
);
const pictureCopies = counter(
  'crier_picture_copies_total',
  "Pictures of Channels' accounts that were copied, or were not",
  ['outcome'],
);
const blobsRemoved = counter('crier_blobs_removed_total', 'Stored files deleted because their asset was removed', [
  'reason',
]);
const orphansRemoved = counter('crier_orphans_removed_total', 'Stored files deleted because no row names them');
const unfinishedRemoved = counter(
  'crier_unfinished_blobs_removed_total',
  'Remains of files that were never stored whole, deleted',
);

const network = word(...NETWORKS);

export const MEDIA_GAUGES = {
  conversions: gauge(
    'crier_conversions',
    'Conversions of files in this process: running, at most CRIER_CONVERSIONS_AT_ONCE and one more in all, and waiting for their turn',
    ['kind', 'state'],
  ),
};

export const MEDIA_EVENTS = {
  'file-fetch-ended': event({
    level: 'debug',
    help: 'A fetch of a file that a Post names by address ended. changed: another file than was announced',
    facts: { outcome: word('fetched', 'changed', 'unreachable'), durationMs: milliseconds },
    feeds: [observes(fetches, 'durationMs')],
  }),
  'rendition-ended': event({
    level: 'debug',
    // Not the file's fault: this machine lacks a tool.
    warnsWhen: ['outcome', ['unable']],
    help: 'A conversion ended. reused: the file serves as it is; refused: for the file; unable: this machine lacks a tool',
    facts: {
      outcome: word('converted', 'reused', 'refused', 'unable'),
      kind: word('image', 'video'),
      waitMs: milliseconds,
      durationMs: milliseconds,
    },
    feeds: [observes(renditions, 'durationMs'), observes(renditionWait, 'waitMs')],
  }),
  'media-preparation-ended': event({
    level: 'debug',
    help: 'The files of a Variant are ready, or can not be made ready. latenessMs: of those of a scheduled one',
    facts: {
      ...{ network, workspaceId: id, postId: id, variantId: id },
      outcome: word('ready', 'failed'),
      latenessMs: optional(milliseconds),
    },
    feeds: [counts(preparations), observes(lateness, 'latenessMs', { when: ['outcome', 'ready'] })],
  }),
  'media-preparation-abandoned': event({
    level: 'debug',
    help: 'The preparation of files was stopped because no Variant of the Post waits for them any more',
    facts: { workspaceId: id, postId: id },
  }),
  'picture-copy-ended': event({
    level: 'info',
    help: "The copying of the picture of a Channel's account came to an end. unreachable: it is tried again",
    facts: {
      workspaceId: id,
      channelId: id,
      outcome: word('copied', 'unchanged', 'refused', 'unable', 'unreachable'),
      detail: text,
    },
    feeds: [counts(pictureCopies)],
  }),
  'asset-removal-ignored': event({
    level: 'warn',
    help: 'A job to remove the files of an asset was ignored because the asset is not removed',
    facts: { workspaceId: id, assetId: id },
  }),
  'asset-files-removed': event({
    level: 'debug',
    help: 'The stored files of a removed asset were deleted',
    facts: {
      workspaceId: id,
      assetId: id,
      blobs: number,
      bytes: number,
      reason: optional(word('asked', 'incomplete', 'unacceptable', 'unused', 'over', 'no room')),
    },
    feeds: [counts(blobsRemoved, { value: 'blobs' })],
  }),
  'orphan-removed': event({
    level: 'warn',
    help: 'A stored file that no row names was deleted',
    facts: { blob: id, reason: word('no asset', 'asset removed', 'replaced') },
  }),
  'orphan-scan-ended': event({
    level: 'info',
    help: 'A scan of the stored files for orphans ended',
    facts: { removed: number, bytes: number, unfinished: number },
    feeds: [counts(orphansRemoved, { value: 'removed' }), counts(unfinishedRemoved, { value: 'unfinished' })],
  }),
};
