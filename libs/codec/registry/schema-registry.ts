/** What the codec needs of a schema registry. */
export interface SchemaRegistry {
  /**
   * The id that a version of a message's schema is written under; left out: the newest that this release has. Throws
   * for a version that was never registered.
   */
  idOf(name: string, version?: number): number;
  /**
   * The text of a schema by id, null when there is none. Rejects with `PortError` `unavailable` when the registry can't
   * be reached.
   */
  schemaOf(id: number): Promise<string | null>;
}
