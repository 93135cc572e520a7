import type { Account } from './accounts.ts';

/** The Networks' own addresses of pictures end in this; a client gets another size by replacing it. */
export function avatarPath(account: Account): string {
  return `/sandbox/avatars/${account.accountId}_normal.svg`;
}

/** A picture for each account: its initial on a colour derived from its id. */
export function avatarSvg(account: Account): string {
  const hue = [...account.accountId].reduce((sum, digit) => (sum * 31 + digit.charCodeAt(0)) % 360, 7);
  const initial = (/[\p{L}\p{N}]/u.exec(account.name)?.[0] ?? 'A').toUpperCase();
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" viewBox="0 0 40 40"><rect width="40" height="40" fill="hsl(${hue} 55% 45%)"/>` +
    `<text x="20" y="27" font-family="sans-serif" font-size="20" text-anchor="middle" fill="#fff">${initial}</text></svg>`
  );
}
