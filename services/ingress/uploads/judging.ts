import type { LocalFiles } from '#ports/local-files.ts';
import type { MediaTools } from '#ports/media-tools.ts';
import type { FileJudgement, JudgeFile } from '#use-cases/dependencies.ts';

export interface JudgingOptions {
  readonly tools: Pick<MediaTools, 'probe'>;
  readonly files: LocalFiles;
}

/**
 * Judges a file once for all concurrent callers: a judgement that takes longer than one caller waits is not begun again
 * by the next.
 */
export function createJudge({ tools, files }: JudgingOptions): JudgeFile {
  const judging = new Map<string, Promise<FileJudgement>>();
  return ({ blob, bytes, sha256 }) => {
    const known = judging.get(blob);
    if (known !== undefined) return known;
    const judge = async (): Promise<FileJudgement> => {
      const probed = await files.use(blob, (path) => tools.probe({ path }));
      return probed.kind === 'known'
        ? { kind: 'facts', facts: { ...probed.facts, bytes, sha256 } }
        : { kind: 'refused', detail: probed.words };
    };
    const begun = judge().finally(() => judging.delete(blob));
    judging.set(blob, begun);
    return begun;
  };
}
