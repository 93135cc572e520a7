import about from '../../package.json' with { type: 'json' };

/** This release, as package.json names it. */
export const VERSION: string = about.version;
