import type { Network } from '../network.ts';
import type { PlanName } from '../plan/plan.ts';
import type { OutcomeType } from '../webhook/outcome-type.ts';
import type { Origin } from './request-envelope.ts';
import type { KeyLimits, MemberRole, Permission } from './state.ts';

const DAY_MS = 86_400_000;

/** How long an entry is shown, from its instant. */
export const AUDIT_KEPT_MS = 400 * DAY_MS;

/** What an entry can say was done. */
export const AUDIT_ACTIONS = [
  'workspace.created',
  'workspace.renamed',
  'workspace.zone_changed',
  'publishing.held',
  'publishing.released',
  'post.created',
  'post.replaced',
  'post.cancelled',
  'post.addresses_voided',
  'variant.retried',
  'channel.connected',
  'channel.reconnected',
  'channel.disconnected',
  'channel.defaults_changed',
  'channel.needs_reconnect',
  'channel.erased',
  'plan.changed',
  'plan.change_scheduled',
  'plan.change_withdrawn',
  'credits.added',
  'member.added',
  'member.joined',
  'member.removed',
  'member.left',
  'member.role_changed',
  'member.email_verified',
  'member.invited',
  'invitation.revoked',
  'app.approved',
  'app.revoked',
  'key.created',
  'key.revoked',
  'endpoint.registered',
  'endpoint.deleted',
  'endpoint.secret_rotated',
  'endpoint.tested',
  'endpoint.replayed',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who did it, as the Workspace knew them at that moment. */
export interface AuditActor {
  readonly kind: 'member' | 'key' | 'app' | 'operator' | 'network' | 'crier';
  /** Of the Member, the key or the app's approval; the Network's name; null for operators and Crier itself. */
  readonly id: string | null;
  /** Of the Member, the key or the app; null for the others. */
  readonly name: string | null;
  /** The Member themselves, or the one behind the key or the app; null: nobody of the Workspace. */
  readonly memberName: string | null;
}

/** What it was done to. */
export interface AuditSubject {
  readonly kind: 'workspace' | 'post' | 'channel' | 'member' | 'invitation' | 'app' | 'key' | 'endpoint';
  readonly id: string;
  /**
   * A Post by its first words, an endpoint by its host, an invitation by its address, others by their name. Null for a
   * Channel: its name is that of an account whose owner may have us forget it, so readers take it from the state.
   */
  readonly name: string | null;
}

/** What else a reader wants to know; each action has its own. Never a secret, never a whole text. */
export interface AuditDetail {
  /** Of a Post: when it is due, in milliseconds since the epoch; null: at once. */
  readonly scheduledAt?: number | null;
  readonly variants?: number;
  /** The Post that it took the place of. */
  readonly replaces?: string;
  /** The Variant that was retried. */
  readonly variantId?: string;
  readonly network?: Network;
  /** Why publishing is held. */
  readonly reason?: string;
  /** What the Workspace was called before. */
  readonly formerName?: string;
  /** The zone that the Workspace has now, and the one before; absent: it had none. */
  readonly timeZone?: string;
  readonly formerTimeZone?: string;
  readonly role?: MemberRole;
  readonly formerRole?: MemberRole;
  readonly plan?: PlanName;
  readonly formerPlan?: PlanName;
  /** When a Plan begins, in milliseconds since the epoch. */
  readonly effectiveAt?: number;
  /** Channels that a Downgrade disconnected, by id, the first of them. */
  readonly disconnected?: readonly string[];
  readonly credits?: number;
  readonly permissions?: readonly Permission[];
  /** Of a key; absent: none. */
  readonly limits?: KeyLimits;
  /** The Member that a key or an app acts for. */
  readonly memberId?: string;
  readonly events?: readonly OutcomeType[];
  readonly deliveryId?: string;
}

/** Who did what, when, from where, by which door. An entry is written once and never changed. */
export interface AuditEntry {
  /** Of the request, or derived from the report. */
  readonly id: string;
  /** The instant of the turn, in milliseconds since the epoch. */
  readonly at: number;
  readonly action: AuditAction;
  readonly actor: AuditActor;
  /** Null: nobody's request, or one that an older release took. */
  readonly origin: Origin | null;
  readonly subject: AuditSubject;
  readonly detail: AuditDetail;
}

const MAX_NAME_LENGTH = 200;
const MAX_WORDS_LENGTH = 80;
/** No written form of an IPv6 address is longer, nor is one with a zone. */
const MAX_ADDRESS_LENGTH = 64;

export function boundedName(name: string): string {
  return cut(name, MAX_NAME_LENGTH);
}

/** The beginning of a text, on one line: enough to know a Post by. */
export function firstWords(text: string): string {
  // A text of the largest size is not looked through for its first words.
  return cut(
    text
      .slice(0, 4 * MAX_WORDS_LENGTH)
      .replace(/\s+/gu, ' ')
      .trim(),
    MAX_WORDS_LENGTH,
  );
}

export function boundedOrigin({ door, address }: Origin): Origin {
  return { door, address: address === null ? null : address.slice(0, MAX_ADDRESS_LENGTH) };
}

/** At most `length` UTF-16 units, never half a character, with a sign that something is missing. */
function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .toWellFormed()
        .replace(/\uFFFD$/u, '')}…`;
}
