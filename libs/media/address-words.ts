/** Words for Members, about files that stand at an address. */
const ACCEPTED_WORDS = 'JPEG, PNG, WebP, MP4 or MOV';

export function sizeWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const [unit, name] =
    bytes < 1_000_000 ? [1_000, 'KB'] : bytes < 1_000_000_000 ? [1_000_000, 'MB'] : [1_000_000_000, 'GB'];
  return `${Number((bytes / unit).toFixed(1))} ${name}`;
}

export const redirects = 'The address leads on to another one. Use the one it leads to.';
export const tooLarge = 'The file at the address is larger than 2 GB.';
export const empty = 'The file at the address is empty.';
export const answered = (status: number): string => `The address answered ${status}.`;
export const serves = (type: string): string => `The address has ${type}; a file must be ${ACCEPTED_WORDS}.`;
export const isNoFile = `The address does not say what it has, and it is no ${ACCEPTED_WORDS} file.`;
export const packed = 'The address has the file packed (Content-Encoding). It must be served as it is.';
/** Of a port's message, `<host> <what happened>`. */
export const noAnswer = (message: string): string => `The address gave no file: ${message}.`;
