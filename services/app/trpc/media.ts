import { z } from 'zod';
import { CreateMediaUploadRequest } from '#schemas/http/media-requests.ts';
import { SentId } from '#schemas/http/scalars.ts';
import { completeMediaUpload, type CompleteMediaUploadOptions } from '#use-cases/complete-media-upload.ts';
import { createMediaUpload, type CreateMediaUploadOptions } from '#use-cases/create-media-upload.ts';
import { removeMediaUpload } from '#use-cases/remove-media-upload.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { router, valueOf } from './procedure.ts';

export type MediaProceduresOptions = CreateMediaUploadOptions & CompleteMediaUploadOptions;

const OneAsset = z.object({ assetId: SentId });

/** Uploads: reserved, sent to `uploadUrl` by PUT, completed, named in a Post; the same as over REST. */
export function mediaProcedures(member: MemberProcedure, options: MediaProceduresOptions) {
  return router({
    reserve: member
      .input(z.object({ file: CreateMediaUploadRequest }))
      .mutation(async ({ ctx: { call }, input }) => valueOf(await createMediaUpload(call, input.file, options))),
    complete: member
      .input(OneAsset)
      .mutation(async ({ ctx: { call }, input }) => valueOf(await completeMediaUpload(call, input.assetId, options))),
    remove: member.input(OneAsset).mutation(async ({ ctx: { call }, input: { assetId } }) => {
      valueOf(await removeMediaUpload(call, assetId, options));
      return { assetId };
    }),
  });
}
