/** What an operator's token allows: to look, or everything. */
const OPERATOR_ROLES = ['read', 'operate'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

export interface OperatorToken {
  /** Who is told to have called. */
  readonly name: string;
  readonly role: OperatorRole;
  readonly token: string;
}

/** The name that calls by CRIER_ADMIN_TOKEN and CRIER_PREVIOUS_ADMIN_TOKENS bear. */
export const ADMIN_NAME = 'admin';

const ENTRY = /^([\w.@-]{1,64}):(\w+):(\S+)$/;

/**
 * The entries of CRIER_ADMIN_TOKENS, or what is wrong with them, in words that hold no token. A name may have several
 * tokens while one replaces another.
 */
export function operatorTokensOf(entries: readonly string[]): readonly OperatorToken[] | string {
  const tokens: OperatorToken[] = [];
  for (const [index, entry] of entries.entries()) {
    const [, name, role, token] = ENTRY.exec(entry) ?? [];
    if (name === undefined || role === undefined || token === undefined)
      return `has an entry that is no name:role:token (the ${ordinal(index)}): write it as in ada:operate:TOKEN`;
    if (!isRole(role)) return `gives ${name} the role "${role}": it must be one of ${OPERATOR_ROLES.join(', ')}`;
    if (name === ADMIN_NAME)
      return `names an operator ${ADMIN_NAME}, which is the name of CRIER_ADMIN_TOKEN: use another`;
    if (tokens.some((other) => other.token === token))
      return `has the token of ${name} twice: each needs one of its own`;
    tokens.push({ name, role, token });
  }
  return tokens;
}

const ordinal = (index: number): string => ['first', 'second', 'third'][index] ?? `${index + 1}th`;

const isRole = (text: string): text is OperatorRole => (OPERATOR_ROLES as readonly string[]).includes(text);
