import type { SendOperatorCommand } from '#commands/operator-command.ts';
import { PortError } from '#ports/errors.ts';
import type { StoredApproval } from '#tables/repositories/approvals.ts';

export interface ApprovalsOptions {
  readonly findApproval: (approvalId: string) => Promise<StoredApproval | null>;
  readonly sendCommand: SendOperatorCommand;
}

/** Consents of Members, as the authorization server sees them. All methods reject with `PortError`. */
export class Approvals {
  readonly #options: ApprovalsOptions;

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** Null: there is none, or it ended. */
  async live(approvalId: string): Promise<StoredApproval | null> {
    const approval = await this.#options.findApproval(approvalId);
    return approval === null || approval.revoked ? null : approval;
  }

  /** Ends it for good, and with it every code and token that stands for it. Harmless when repeated. */
  async end(approvalId: string): Promise<void> {
    const approval = await this.live(approvalId);
    if (approval === null) return;
    const result = await this.#options.sendCommand(approval.workspaceId, { type: 'RevokeApproval', approvalId });
    if (!result.ok && result.code === 'outcome_unknown')
      throw new PortError('unknown', 'no answer came to the revocation of an approval');
  }
}
