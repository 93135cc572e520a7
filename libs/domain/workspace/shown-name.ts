import { addressOf } from '../account.ts';
import type { Member } from './state.ts';

const UNNAMED = 'a Member';

/**
 * What is told of a Member beyond the Workspace: in Posts, and so in answers of the API and in webhooks. Who gave no
 * name of their own is listed among Members by their e-mail address, which is for Members alone.
 */
export function shownNameOf({ name, email }: Pick<Member, 'name' | 'email'>): string {
  return addressOf({ email: name }) === addressOf({ email }) ? UNNAMED : name;
}
