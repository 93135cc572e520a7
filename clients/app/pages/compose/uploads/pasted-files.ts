/**
 * The files of a paste; none where words are pasted. Office programs put a picture of the words beside them, as text
 * and HTML. Who copies a file has its name beside it as text alone, who copies a picture of a page HTML alone.
 */
export function pastedFiles({ files, types }: Pick<DataTransfer, 'files' | 'types'>): readonly File[] {
  const isWords = types.includes('text/plain') && types.includes('text/html');
  return isWords ? [] : [...files];
}
