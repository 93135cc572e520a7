import { PortError } from '#ports/errors.ts';

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  EEXIST: 'a file is there already',
  EACCES: 'this user may not read or write there',
  EPERM: 'this user may not read or write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than is allowed',
  ENOTDIR: 'a file stands where a folder is needed',
  EISDIR: 'a folder stands where a file is needed',
};

/** Runs `work`; an error of the file system becomes one sentence that begins with `what`. */
export async function tellingFiles<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const words = WORDS[(error as NodeJS.ErrnoException).code ?? ''];
    if (words === undefined) throw error;
    throw new PortError('unavailable', `${what}: ${words}`, { cause: error });
  }
}
