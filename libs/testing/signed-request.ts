import { createHmac } from 'node:crypto';

/** What a request of a person says; `issuedAt` in whole seconds since the epoch. */
export interface SignedPayload {
  readonly userId: string;
  readonly issuedAt: number;
}

/** A `signed_request` as Meta's documentation describes it, signed with the app's secret. */
export function signedRequest({ userId, issuedAt }: SignedPayload, appSecret: string): string {
  const payload = { algorithm: 'HMAC-SHA256', user_id: userId, issued_at: issuedAt };
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${createHmac('sha256', appSecret).update(text).digest('base64url')}.${text}`;
}
