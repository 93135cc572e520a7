/** One line of `crier doctor`. */
export interface DoctorFinding {
  readonly check: string;
  readonly ok: boolean;
  /** What was found; when not ok, with what to do. Never holds a secret. */
  readonly detail: string;
  /** The detail has words that a person wrote, perhaps one of a Workspace: a support bundle leaves it out. */
  readonly hasWordsOfPeople?: true;
}
