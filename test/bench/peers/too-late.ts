/** A Post was refused because its instant has passed. */
export class TooLate extends Error {}
