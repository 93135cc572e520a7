import { derivedId } from '../derived-id.ts';
import { boundedName, boundedOrigin, type AuditActor, type AuditEntry } from './audit.ts';
import { reportFact, requestFact } from './audit-facts.ts';
import { isRequested, type Command, type ReportedCommand, type RequestedCommand } from './commands.ts';
import { type Credential } from './request-envelope.ts';
import type { DecisionInput } from './decision.ts';
import type { DecideResult } from './decision-context.ts';
import type { Member, WorkspaceState } from './state.ts';

/**
 * Adds the entry of the audit to what a command causes: one, if it was carried out and did something, else none. The
 * entry is an effect like the rows that readers see, so it is there exactly if the turn is.
 */
export function withAudit(command: Command, input: DecisionInput, outcome: DecideResult): DecideResult {
  const entry = entryOf(command, input, outcome);
  return entry === null ? outcome : { ...outcome, effects: [...outcome.effects, { kind: 'audit', entry }] };
}

function entryOf(
  command: Command,
  { state: before, now: at }: DecisionInput,
  outcome: DecideResult,
): AuditEntry | null {
  if (isRequested(command)) {
    const fact = requestFact(command, before, outcome);
    if (fact === null) return null;
    const origin = command.origin === undefined ? null : boundedOrigin(command.origin);
    const actor = actorOf(command, before ?? outcome.state!, outcome.state!);
    return { id: command.requestId, at, actor, origin, detail: {}, ...fact };
  }
  const fact = before === null ? null : reportFact(command, before, outcome);
  if (fact === null) return null;
  // A report has no id. Of one Workspace, no two of them change the same thing at the same instant.
  const id = derivedId(['audit', command.type, command.workspaceId, fact.subject.id, at].join(' '));
  return { id, at, actor: reporterOf(command, before!), origin: null, detail: {}, ...fact };
}

const OPERATOR: AuditActor = { kind: 'operator', id: null, name: null, memberName: null };
const CRIER: AuditActor = { kind: 'crier', id: null, name: null, memberName: null };

function actorOf(command: RequestedCommand, before: WorkspaceState, after: WorkspaceState): AuditActor {
  if (command.credential !== null) return credentialActor(command.credential, before);
  const memberId = signedInMember(command);
  if (memberId !== null) return memberActor(after.members[memberId]);
  // A use of a token that was used before ends the approval, and so does the app that has no use for it any more.
  return command.type === 'RevokeApproval' && command.origin?.door === 'app' ? CRIER : OPERATOR;
}

/** What people do by signing in comes without a credential, and names the Member that it is about. */
function signedInMember(command: RequestedCommand): string | null {
  const isOfApp = command.origin?.door === 'app';
  switch (command.type) {
    case 'AcceptInvitation':
      return command.memberId;
    case 'ApproveApp':
      return command.origin?.door === 'admin' ? null : command.memberId;
    case 'CreateWorkspace':
      return isOfApp ? command.owner.memberId : null;
    case 'VerifyEmail':
      return isOfApp ? command.memberId : null;
    default:
      return null;
  }
}

function credentialActor(credential: Credential, { keys, approvals, members }: WorkspaceState): AuditActor {
  switch (credential.kind) {
    case 'key':
      return holder('key', credential.keyId, keys[credential.keyId], members);
    case 'app':
      return holder('app', credential.approvalId, approvals[credential.approvalId], members);
    case 'member':
      return memberActor(members[credential.memberId]);
  }
}

/** A key or an app's approval, which its Member gave out. */
function holder(
  kind: 'key' | 'app',
  id: string,
  held: { readonly name: string; readonly memberId: string } | undefined,
  members: WorkspaceState['members'],
): AuditActor {
  const memberName = members[held?.memberId ?? '']?.name ?? null;
  const name = held === undefined ? null : boundedName(held.name);
  return { kind, id, name, memberName: memberName === null ? null : boundedName(memberName) };
}

function memberActor(member: Member | undefined): AuditActor {
  if (member === undefined) return OPERATOR;
  const name = boundedName(member.name);
  return { kind: 'member', id: member.id, name, memberName: name };
}

function reporterOf(command: ReportedCommand, { channels }: WorkspaceState): AuditActor {
  const network = 'channelId' in command ? channels[command.channelId]?.network : undefined;
  return network === undefined ? CRIER : { ...CRIER, kind: 'network', id: network };
}
