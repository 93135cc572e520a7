import { networkName } from '../../parts/network-mark.tsx';
import { absoluteWords } from '../../parts/time-words.ts';
import { PERMISSION_WORDS } from '../access/permission-words.tsx';
import { ROLE_WORDS } from '../members/role-words.ts';
import type { ShownEntry } from './shown-entry.ts';

type Detail = ShownEntry['detail'];

/** Who did it: "Ada", "the key nightly import, for Ada". */
export function actorWords({ kind, id, name, memberName }: ShownEntry['actor']): string {
  const forWhom = memberName === null ? '' : `, for ${memberName}`;
  switch (kind) {
    case 'member':
      return memberName ?? name ?? 'A Member';
    case 'key':
      return `The key ${name ?? ''}${forWhom}`;
    case 'app':
      return `The app ${name ?? ''}${forWhom}`;
    case 'operator':
      return 'The operator';
    case 'network':
      return id === null ? 'The Network' : networkName(id as Parameters<typeof networkName>[0]);
    case 'crier':
      return 'Crier';
  }
}

const DOORS = { app: 'in the app', api: 'by the API', mcp: 'by an assistant', admin: 'by the operator’s interface' };

/** The door and the address that a command came from; null: Crier itself caused it. */
export function originWords(origin: ShownEntry['origin']): string | null {
  if (origin === null) return null;
  return origin.address === null ? DOORS[origin.door] : `${DOORS[origin.door]}, from ${origin.address}`;
}

/** What else there is to know, a short sentence each. */
export function detailWords(detail: Detail, timeZone: string): readonly string[] {
  const words: (string | null | undefined | false)[] = [
    detail.formerName !== undefined && `It was called ${detail.formerName}.`,
    detail.timeZone !== undefined &&
      (detail.formerTimeZone === undefined
        ? `${detail.timeZone}.`
        : `${detail.formerTimeZone}, then ${detail.timeZone}.`),
    detail.reason !== undefined && `Why: ${detail.reason}`,
    detail.role !== undefined && roleChange(detail.role, detail.formerRole),
    detail.plan !== undefined && planChange(detail, timeZone),
    detail.disconnected !== undefined &&
      detail.disconnected.length > 0 &&
      `Disconnected: ${detail.disconnected.join(', ')}.`,
    detail.credits !== undefined && `${detail.credits} credits.`,
    detail.scheduledAt === null && 'At once.',
    typeof detail.scheduledAt === 'string' && `Due ${absoluteWords(Date.parse(detail.scheduledAt), timeZone)}.`,
    detail.variants !== undefined && (detail.variants === 1 ? 'One Channel.' : `${detail.variants} Channels.`),
    detail.network !== undefined && `${networkName(detail.network)}.`,
    detail.permissions !== undefined &&
      `May: ${detail.permissions.map((permission) => PERMISSION_WORDS[permission].short).join(', ')}.`,
    detail.events !== undefined && `Told of: ${detail.events.join(', ')}.`,
  ];
  return words.filter((word) => typeof word === 'string');
}

function roleChange(role: NonNullable<Detail['role']>, before: Detail['formerRole']): string {
  const now = ROLE_WORDS[role].name;
  return before === undefined ? `${now}.` : `${ROLE_WORDS[before].name}, then ${now.toLowerCase()}.`;
}

function planChange({ plan, formerPlan, effectiveAt }: Detail, timeZone: string): string {
  const change = formerPlan === undefined ? plan : `${formerPlan}, then ${plan}`;
  return effectiveAt === undefined
    ? `${change}.`
    : `${change}, from ${absoluteWords(Date.parse(effectiveAt), timeZone)}.`;
}
