/** Why a request is refused, in the words of the answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly facts: object;

  constructor(status: number, code: string, message: string, facts: object = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.facts = facts;
  }
}
