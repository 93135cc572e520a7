/** What CRIER_SMTP_URL says. */
export interface SmtpAddress {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps). */
  readonly tls: boolean;
  /** Null: the server asks for none. */
  readonly signIn: { readonly user: string; readonly password: string } | null;
}

const PORTS = { 'smtps:': 465, 'smtp:': 587 } as const;

/** Null: the text is no smtp or smtps address. */
export function smtpAddressOf(text: string): SmtpAddress | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '') return null;
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') return null;
  if ((url.username === '') !== (url.password === '')) return null;
  try {
    const [user, password] = [url.username, url.password].map(decodeURIComponent);
    return {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? PORTS[url.protocol] : Number(url.port),
      tls: url.protocol === 'smtps:',
      signIn: user === '' ? null : { user: user!, password: password! },
    };
  } catch {
    return null;
  }
}
