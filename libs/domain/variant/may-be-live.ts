export const MAY_BE_LIVE =
  'It may be live: look at the account before you retry, because a retry may publish it a second time.';

const WAS_RESTORED = 'Crier was restored from a backup, and may have published this after the backup was taken';

/** The installation that this one is a copy of may have published it, and the Network can not tell, or not be asked. */
export function unknownSinceBackup(why: string): string {
  return `${WAS_RESTORED} (${why}). ${MAY_BE_LIVE}`;
}

/** The Network is not asked: the operator who released the restore chose `fail` for what was overdue. */
export const NOT_PUBLISHED_AGAIN = `${WAS_RESTORED}. The people who run Crier chose not to publish it again. ${MAY_BE_LIVE}`;
