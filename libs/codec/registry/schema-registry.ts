/** What the codec needs of a schema registry. */
export interface SchemaRegistry {
  /**
   * The id that this release's own schema of a message is written under. Throws for a name that was never registered.
   */
  idOf(name: string): number;
  /**
   * The text of a schema by id, null when there is none. Rejects with `PortError` `unavailable` when the registry can't
   * be reached.
   */
  schemaOf(id: number): Promise<string | null>;
}
