import type { MemberRole } from '#domain/workspace/state.ts';

interface RoleWords {
  readonly name: string;
  readonly may: string;
}

export const ROLE_WORDS: Readonly<Record<MemberRole, RoleWords>> = {
  owner: {
    name: 'Owner',
    may: 'Manages Members, the Plan, credits and Channels, and does everything that editors do.',
  },
  editor: {
    name: 'Editor',
    may: 'Makes, schedules and cancels Posts, manages webhooks, and has keys and apps of their own.',
  },
  viewer: { name: 'Viewer', may: 'Looks at Posts, Channels and usage, and changes nothing.' },
};

const ORDER: readonly MemberRole[] = ['owner', 'editor', 'viewer'];

/** For a choice of roles, the most powerful first. */
export const ROLE_CHOICES = ORDER.map((value) => ({
  value,
  name: ROLE_WORDS[value].name,
  note: ROLE_WORDS[value].may,
}));
