import { PERMISSIONS, type Permission } from '#domain/workspace/state.ts';

interface PermissionWords {
  /** In lists. */
  readonly short: string;
  readonly long: string;
}

/** What a key or an app may do, for a person. */
export const PERMISSION_WORDS: Readonly<Record<Permission, PermissionWords>> = {
  'posts:schedule': {
    short: 'Schedule Posts',
    long: 'Sees Channels and Posts, uploads files, schedules Posts at least 15 minutes ahead, and cancels them.',
  },
  'posts:publish': {
    short: 'Publish at once',
    long: 'Publishes without waiting, and retries what failed. What is published can be seen by everybody.',
  },
  'webhooks:manage': {
    short: 'Manage webhooks',
    long: 'Registers and removes addresses that events are sent to when a Post was published or failed.',
  },
};

/** Every permission as a choice. */
export const PERMISSION_CHOICES = PERMISSIONS.map((permission) => ({ permission, ...PERMISSION_WORDS[permission] }));

export function PermissionList({ permissions }: { readonly permissions: readonly Permission[] }) {
  return (
    <ul className="plain-list">
      {permissions.map((permission) => (
        <li key={permission}>{PERMISSION_WORDS[permission].short}</li>
      ))}
    </ul>
  );
}
