import { hash } from 'node:crypto';
import { domainToASCII, domainToUnicode } from 'node:url';

const MAX_EMAIL_LENGTH = 254;
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

/**
 * The e-mail address that is an account: trimmed and lower-cased, so that every way to write it is one account. Null:
 * the text is no e-mail address.
 */
export function emailOf(text: string): string | null {
  const email = normalized(text);
  return email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email) ? email : null;
}

/**
 * One mailbox as mail servers write it. Commas, brackets and the like could hide a second one, or write one mailbox in
 * many ways, each with a limit of its own.
 */
const MAILBOX = /^[^\s@<>()[\],;:\\"\p{C}]+@([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*)$/u;

/**
 * Whether an e-mail address is written so that strangers may have it mailed. Mailers map wide letters and the like to
 * plain ones before they look a host up, so a host is taken only as that mapping leaves it, or in its ASCII form.
 */
export function isMailbox(email: string): boolean {
  const host = MAILBOX.exec(email)?.[1]?.toLowerCase();
  if (host === undefined) return false;
  const ascii = domainToASCII(host);
  return ascii !== '' && (host === ascii || host === domainToUnicode(ascii));
}

/** SHA-256 of the account's address, lower-case hex. Any spelling of the address gives the same. */
export function accountIdOf(email: string): string {
  return hash('sha256', normalized(email), 'hex');
}

/** The account's address, of somebody whose address was checked before. */
export function addressOf({ email }: { readonly email: string }): string {
  return normalized(email);
}

function normalized(text: string): string {
  return text.trim().toLowerCase();
}
