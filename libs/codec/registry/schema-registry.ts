/** What the codec asks of a schema registry, whoever keeps it. */
export interface SchemaRegistry {
  /**
   * The id that this release's own schema of a message is written under. Throws for a name that was never registered.
   */
  idOf(name: string): number;
  /**
   * The text of a schema by id, null when there is none. Rejects with `PortError` `unavailable` when it can't tell now.
   */
  schemaOf(id: number): Promise<string | null>;
}
