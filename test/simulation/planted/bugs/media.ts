import { LOST_RECORDS, OVERLAPS, QUIET, UNANSWERED, WITH_FILES } from '../fault-plans.ts';
import type { BugsOfRoom } from '../planted-bug.ts';

const UPLOADS_TEST = 'libs/domain/workspace/decide/uploads.test.ts';
const PREPARE_TEST = 'services/media/prepare-post.test.ts';

export const MEDIA: BugsOfRoom = {
  room: 'services/media and uploads',
  bugs: [
    {
      name: 'Files of a scheduled Post are prepared only once it is due',
      edits: [
        {
          file: 'libs/domain/workspace/decide/create-post.ts',
          find: "if (files.length > 0) effects.push({ kind: 'prepare-media', postId: post.id });",
          replace: '',
        },
      ],
      ...{ faults: QUIET, parts: ['media'], actions: WITH_FILES },
    },
    {
      name: 'A file that breaks off counts as whole',
      edits: [
        {
          file: 'services/ingress/uploads/incoming-file.ts',
          find: 'bytes === expected.bytes ? file.push(null)',
          replace: 'bytes <= expected.bytes ? file.push(null)',
        },
        {
          file: 'services/ingress/uploads/receive-file.ts',
          find: 'if (facts.bytes !== offer.bytes) throw',
          replace: 'if (facts.bytes > offer.bytes) throw',
        },
      ],
      suite: 'services/ingress/uploads/incoming-file.test.ts',
    },
    {
      name: 'An upload of another size than was reserved is completed',
      edits: [
        {
          file: 'libs/domain/workspace/decide/uploads.ts',
          find: 'if (file === null || file.facts.bytes !== asset.announced.bytes)',
          replace: 'if (file === null)',
        },
      ],
      suite: UPLOADS_TEST,
    },
    {
      name: 'An upload whose time is over is completed',
      edits: [
        {
          file: 'libs/domain/workspace/decide/uploads.ts',
          find: 'if (command.issuedAt > asset.expiresAt) return removed',
          replace: 'if (command.issuedAt < 0) return removed',
        },
      ],
      suite: UPLOADS_TEST,
    },
    {
      name: 'A file of another Workspace can be attached',
      edits: [
        {
          file: 'libs/tables/repositories/assets.ts',
          find: 'return asset?.workspaceId === workspaceId ? asset : null;',
          replace: 'return workspaceId === "" ? null : asset;',
        },
      ],
      suite: 'libs/tables/repositories/assets.test.ts',
    },
    {
      name: 'A file that comes later replaces the one that was judged',
      edits: [
        {
          file: 'libs/tables/repositories/uploads.ts',
          find: "now === null || now.state === 'arrived' ? { state: 'arrived', file } : now,",
          replace: "now === null || now.state !== 'gone' ? { state: 'arrived', file } : now,",
        },
      ],
      suite: 'libs/tables/repositories/uploads.test.ts',
    },
    {
      name: 'A file that reached the address of a removed upload comes to count',
      edits: [
        {
          file: 'services/media/removal-service.ts',
          find: "if (asset.origin === 'upload') await uploads.abandon(assetId);",
          replace: '',
        },
      ],
      suite: 'services/media/removal-service.test.ts',
    },
    {
      name: 'Files are removed of an asset that is in use',
      edits: [
        {
          file: 'services/media/removal-service.ts',
          find: "if (asset?.state !== 'removed') {",
          replace: 'if (asset === null) {',
        },
      ],
      suite: 'services/media/removal-service.test.ts',
    },
    {
      name: 'A rendition has its row before its bytes are stored',
      edits: [
        {
          file: 'services/media/make-rendition.ts',
          find: 'await context.blobs.put(blob, context.disk.read(await into()), { maxBytes: bytes, freesPieces: true }); await context.disk.remove(await into());',
          replace: '',
        },
        {
          file: 'services/media/make-rendition.ts',
          find: 'if (kept.blob !== blob) await context.blobs.delete(blob);',
          replace:
            'await context.blobs.put(blob, context.disk.read(await into()), { maxBytes: bytes, freesPieces: true });\n  await context.disk.remove(await into());\n  if (kept.blob !== blob) await context.blobs.delete(blob);',
        },
      ],
      suite: PREPARE_TEST,
    },
    {
      name: 'A Variant is reported ready before the row of its files is written',
      edits: [
        {
          file: 'services/media/prepare-post.ts',
          find: 'await context.rows.setFiles(postId, id, files);',
          replace: '',
        },
        {
          file: 'services/media/prepare-post.ts',
          find: "context.reporter.report('media-preparation-ended', { ...{ network,",
          replace:
            "await context.rows.setFiles(postId, id, files);\n  context.reporter.report('media-preparation-ended', {\n    ...{ network,",
        },
      ],
      suite: PREPARE_TEST,
    },
    {
      name: 'A Variant with one of its files is ready',
      edits: [
        {
          file: 'services/media/prepare-post.ts',
          find: "const refused = files.find((result) => result.kind !== 'made');",
          replace:
            "const refused = files.every((result) => result.kind !== 'made') ? files.find((result) => result.kind !== 'made') : undefined;",
        },
      ],
      suite: PREPARE_TEST,
    },
    {
      name: 'An address whose file changed since the Post was made is taken',
      edits: [
        {
          file: 'services/media/fetch-file.ts',
          find: 'fetchAddress({ url, expected: asset.announced, into, signal })',
          replace: 'fetchAddress({ url, expected: null, into, signal })',
        },
      ],
      suite: PREPARE_TEST,
    },
    {
      name: 'Orphans are removed while an upload may still name them',
      edits: [
        {
          file: 'libs/media/orphans.ts',
          find: 'page.filter(({ ageMs }) => ageMs > SAFE_AGE_MS),',
          replace: 'page.filter(({ ageMs }) => ageMs >= 0),',
        },
      ],
      suite: 'libs/media/orphans.test.ts',
    },
    {
      name: 'A Variant is published with the files that are there, though one is missing',
      edits: [
        {
          file: 'libs/media/stored-renditions.ts',
          find: 'if (stored === null || stored.files.length !== altTexts.length ||',
          replace: 'if (stored === null ||',
        },
      ],
      suite: 'libs/media/stored-renditions.test.ts',
    },
    {
      name: 'All renditions of a file are made at one path',
      edits: [
        {
          file: 'services/media/make-rendition.ts',
          find: 'scratch.path(`${assetId}-${key}`)',
          replace: 'scratch.path(assetId)',
        },
      ],
      ...{ faults: QUIET, parts: ['media'], actions: WITH_FILES },
    },
    {
      name: 'All files of a Post that have one target share one rendition',
      edits: [
        {
          file: 'services/media/prepare-post.ts',
          find: 'const name = `${source.assetId} ${renditionKey(target)}`;',
          replace: 'const name = renditionKey(target);',
        },
      ],
      ...{ faults: QUIET, parts: ['media'], actions: WITH_FILES },
    },
    {
      name: 'Of two renditions made at once the one that lost is published',
      edits: [
        {
          file: 'services/media/make-rendition.ts',
          find: "return { kind: 'made', file: kept };",
          replace: "return { kind: 'made', file: made };",
        },
      ],
      ...{ faults: OVERLAPS, parts: ['media'], actions: WITH_FILES },
    },
    {
      name: 'A fetched file that an earlier owner stored is not reported',
      edits: [
        {
          file: 'services/media/fetch-file.ts',
          find: "if (fetched.kind !== 'here' || asset.postId === null) return fetched;",
          replace: "if (fetched.kind !== 'here' || asset.postId === null || known !== null) return fetched;",
        },
      ],
      ...{ faults: UNANSWERED, parts: ['media'], actions: WITH_FILES },
    },
    {
      name: 'The files of one Variant make all Variants of the Post ready',
      edits: [
        {
          file: 'services/media/prepare-post.ts',
          find: 'const variants = [variantNumberOf(id)];',
          replace: 'const variants = context.post.variants.map((each) => variantNumberOf(each.id));',
        },
      ],
      suite: 'services/media/prepare-post.test.ts',
    },
    {
      name: 'Files that are waited for are asked for once',
      edits: [
        {
          file: 'libs/domain/workspace/decide/come-due.ts',
          find: 'const nextLooks = now + LOOK_AGAIN_MS < ended ? [now + LOOK_AGAIN_MS] : [];',
          replace: 'const nextLooks = ended < 0 ? [now + LOOK_AGAIN_MS] : [];',
        },
      ],
      ...{ faults: LOST_RECORDS, parts: ['media'], actions: WITH_FILES },
    },
  ],
};
