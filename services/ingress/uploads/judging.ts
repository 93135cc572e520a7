import { bareBlob } from '#domain/media/blob-names.ts';
import { storeWithoutParts } from '#media/overwrite-parts.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { LocalFiles } from '#ports/local-files.ts';
import type { MediaTools } from '#ports/media-tools.ts';
import type { FileJudgement, JudgeFile } from '#use-cases/dependencies.ts';

export interface JudgingOptions {
  readonly tools: Pick<MediaTools, 'probe'>;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly files: LocalFiles;
}

/**
 * Judges a file once for all concurrent callers: a judgement that takes longer than one caller waits is not begun again
 * by the next. What a file says beside what it shows, such as the place, goes no further: a copy without it counts.
 */
export function createJudge({ tools, blobs, files }: JudgingOptions): JudgeFile {
  const judging = new Map<string, Promise<FileJudgement>>();
  return (workspaceId, { blob, bytes, sha256 }) => {
    const known = judging.get(blob);
    if (known !== undefined) return known;
    const judge = async (): Promise<FileJudgement> => {
      const probed = await files.use(blob, (path) => tools.probe({ workspaceId, path }));
      if (probed.kind !== 'known') return { kind: 'refused', detail: probed.words };
      const { facts, privateParts } = probed;
      if (privateParts.length === 0) return { kind: 'facts', facts: { ...facts, bytes, sha256 }, blob };
      const bare = bareBlob(blob);
      const stored = await storeWithoutParts(blobs, { blob, bytes, into: bare }, privateParts);
      return { kind: 'facts', facts: { ...facts, bytes, sha256: stored.sha256 }, blob: bare };
    };
    const begun = judge().finally(() => judging.delete(blob));
    judging.set(blob, begun);
    return begun;
  };
}
