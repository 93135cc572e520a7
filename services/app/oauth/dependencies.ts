import type { Request, Response } from 'express';
import type { SendOperatorCommand } from '#commands/operator-command.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { StoredApproval } from '#tables/repositories/approvals.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import type { OAuthKeys } from '#tables/repositories/oauth-keys.ts';
import type { RequestRows } from '#tables/repositories/requests.ts';
import type { Sessions } from '../people/signed-in.ts';

/** The page that a form stands on. */
export interface FormPlace {
  readonly request: Request;
  readonly response: Response;
  /** Where the browser comes back to: a path on our own address. */
  readonly returnPath: string;
}

/** What the authorization server works with. */
export interface AuthorizationServerOptions {
  readonly store: TableStore;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  /** The way out to documents that describe clients. */
  readonly publicHttp: PublicHttp;
  /** The issuer, without a slash at the end. */
  readonly publicUrl: string;
  readonly keys: Pick<OAuthKeys, 'read'>;
  /** By which floods are counted. */
  readonly requests: RequestRows;
  readonly sessions: Sessions;
  /** HTML of a form with one button, by which somebody else comes back signed in. It may add cookies to the answer. */
  readonly notYouForm: (page: FormPlace) => string;
  /** Of an account, with those that it left. */
  readonly memberships: (accountId: string) => Promise<readonly Membership[]>;
  readonly findApproval: (approvalId: string) => Promise<StoredApproval | null>;
  /** Approvals of a Workspace that have no token any more. */
  readonly endedApprovals: (workspaceId: string) => Promise<readonly string[]>;
  readonly sendCommand: SendOperatorCommand;
  /** Notes that an approval was used. It delays nobody and never throws. */
  readonly noteUse: (approvalId: string) => void;
}
