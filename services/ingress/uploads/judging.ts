import type { ArrivedFile } from '#tables/uploads.ts';
import type { JudgedFile, JudgeFile } from '../needs.ts';

/** Judges a file once, however many ask for it meanwhile: one that takes longer than its asker waits is not begun anew by the next. */
export function judgedOnce(judge: JudgeFile): JudgeFile {
  const judging = new Map<string, Promise<JudgedFile>>();
  return (file: ArrivedFile) => {
    const known = judging.get(file.blob);
    if (known !== undefined) return known;
    const begun = judge(file).finally(() => judging.delete(file.blob));
    judging.set(file.blob, begun);
    return begun;
  };
}
