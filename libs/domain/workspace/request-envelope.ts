import type { TraceCarrier } from '../traceparent.ts';

/** The caller, as ingress authenticated it; `decide` checks that it is still valid. */
export type Credential =
  | { readonly kind: 'key'; readonly keyId: string }
  /** A token of an app that a Member approved. */
  | { readonly kind: 'app'; readonly approvalId: string }
  /** A Member who is signed in. */
  | { readonly kind: 'member'; readonly memberId: string };

/** The doors through which commands come: the REST API, MCP, the app's pages, and operators' procedures. */
export const DOORS = ['api', 'mcp', 'app', 'admin'] as const;
export type Door = (typeof DOORS)[number];

/** Where a command came from, for the audit. */
export interface Origin {
  readonly door: Door;
  /** The caller's IP address; null: not known. */
  readonly address: string | null;
}

/** Carried by every command that a client or an operator waits for. */
export interface RequestEnvelope extends TraceCarrier {
  readonly workspaceId: string;
  /** Chosen by the caller: a command that is twice in the log is one command. */
  readonly requestId: string;
  /** The instant of the request, by the caller's clock: the rules go by it. */
  readonly issuedAt: number;
  /** Not to be carried out after this. */
  readonly notAfter: number;
  /** Where the answer's hint goes: the CRIER_INTERNAL_URL of the process that waits. */
  readonly replyTo: string;
  /** null: an operator. */
  readonly credential: Credential | null;
  /** Absent in commands of releases that had no audit. */
  readonly origin?: Origin;
}
