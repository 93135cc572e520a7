/** One line of `crier doctor`. */
export interface DoctorFinding {
  readonly check: string;
  readonly ok: boolean;
  /** What was found; when not ok, with what to do. Never holds a secret. */
  readonly detail: string;
}
