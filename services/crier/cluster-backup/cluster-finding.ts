/** One line of what the commands for backups say of a cluster. */
export interface ClusterFinding {
  readonly check: string;
  readonly ok: boolean;
  /** What was found; when not ok, with what to do. */
  readonly detail: string;
}
