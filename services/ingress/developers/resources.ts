import { OPERATIONS, resourceOf, type Operation } from '#schemas/http/operations.ts';

export interface Resource {
  /** In the words of the glossary. */
  readonly name: string;
  readonly operations: readonly (typeof OPERATIONS)[number][];
}

/** The operations by what they are about. */
export const RESOURCES: readonly Resource[] = [...Map.groupBy(OPERATIONS, resourceOf)].map(([name, operations]) => ({
  name,
  operations,
}));

/** The name of an operation for people, e.g. "Create posts in bulk". */
export function titleOf({ id }: Pick<Operation, 'id'>): string {
  const words = id.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
