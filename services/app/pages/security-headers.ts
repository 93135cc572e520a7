/** What the browser may do for a page of the app. `mediaUrl`: the address that media files are shown from. */
export function guardsOfApp({
  publicUrl,
  mediaUrl,
}: {
  readonly publicUrl: string;
  readonly mediaUrl: string;
}): Readonly<Record<string, string>> {
  const media = new URL(mediaUrl).origin;
  const elsewhere = media === new URL(publicUrl).origin ? '' : ` ${media}`;
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      // `blob:`: files that the person has just chosen. `data:`: pictures that a page draws.
      `img-src 'self' blob: data:${elsewhere}`,
      `media-src 'self' blob:${elsewhere}`,
      "connect-src 'self'",
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      // No text becomes script, wherever it came from: the app's own policy lets only the empty text through.
      "require-trusted-types-for 'script'",
      'trusted-types default',
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    // The address may name a Post: other sites get none of it.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}
