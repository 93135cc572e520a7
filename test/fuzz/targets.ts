import type { FuzzTarget } from './fuzz-target.ts';
import { adminCalls } from './targets/admin-calls.ts';
import { appCalls } from './targets/app-calls.ts';
import { avroRecords } from './targets/avro-records.ts';
import { backupArchives } from './targets/backup-archives.ts';
import { movieBoxes } from './targets/movie-boxes.ts';
import { networkAnswers } from './targets/network-answers.ts';
import { pictureParts } from './targets/picture-parts.ts';
import { paymentNotices } from './targets/payment-notices.ts';
import { postsFiles, times } from './targets/posts-files.ts';
import { probedVideos } from './targets/probed-videos.ts';
import { restRequests } from './targets/rest-requests.ts';
import { signedTextsTarget } from './targets/signed-texts.ts';
import { toolCalls } from './targets/tool-calls.ts';

export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  avroRecords,
  networkAnswers,
  signedTextsTarget,
  movieBoxes,
  pictureParts,
  probedVideos,
  postsFiles,
  times,
  backupArchives,
  restRequests,
  appCalls,
  toolCalls,
  adminCalls,
  paymentNotices,
];
