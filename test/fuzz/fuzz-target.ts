import type { Arbitrary } from 'fast-check';

/** A reader of what others send. Its property must hold for every input. */
export interface FuzzTarget<Input = any> {
  readonly name: string;
  /** The property, as a sentence. */
  readonly holds: string;
  /** The number of cases of the short form. */
  readonly cases: number;
  open(): Promise<OpenTarget<Input>>;
}

export interface OpenTarget<Input = any> {
  /** Inputs made from valid ones by mutation, as these come further than random bytes. */
  readonly inputs: Arbitrary<Input>;
  /** Inputs that once broke the property, each under the name of what it broke. Every run begins with them. */
  readonly crashes: Readonly<Record<string, Input>>;
  /** Throws when the property does not hold. */
  check(input: Input): void | Promise<void>;
  /** Bytes or characters of the input: the allowed time grows with them. */
  sizeOf(input: Input): number;
  /** In place of `LOOP_MS`: what is done in a process of its own, or answers over a socket. */
  readonly allowedMs?: number;
  close?(): Promise<void>;
}

/** The input of a target is known to itself alone. */
export function fuzzTarget<Input>(target: FuzzTarget<Input>): FuzzTarget {
  return target;
}
