export type ReadBytes = (from: number, to: number) => Uint8Array;
