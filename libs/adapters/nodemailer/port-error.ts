import { PortError, type PortErrorKind } from '#ports/errors.ts';

/** What the library adds to its errors. */
interface SmtpFailure extends Error {
  readonly code?: string;
  /** Of the system or of TLS, where `code` is the library's. */
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly timeoutType?: string;
  readonly syscall?: string;
}

/** Codes of failures before any mail was handed over. Others may come in the middle of one. */
const BEFORE_MAIL = new Set(['EDNS', 'ETLS', 'EAUTH', 'ENOAUTH', 'EENVELOPE', 'EREQUIRETLS', 'ECONFIG']);

const TLS_TROUBLE = /CERT|VERIFY|SIGNED|ERR_TLS|ERR_SSL|^EPROTO$/;

/**
 * The server's own words may repeat what was sent to it, a password among it, so the message says no more than the
 * number of its answer.
 */
export function portErrorOf(failure: Error, server: string): PortError {
  const { code = 'unknown', responseCode } = failure as SmtpFailure;
  const answer = responseCode === undefined ? '' : ` with ${responseCode}`;
  return new PortError(kindOf(failure), `the mail server ${server} ${WORDS[code] ?? 'failed'}${answer} (${code})`);
}

const WORDS: Readonly<Record<string, string>> = {
  EDNS: 'has a name that is not known',
  ETLS: 'can not be spoken to over TLS',
  EAUTH: 'did not accept the user and password of CRIER_SMTP_URL',
  EENVELOPE: 'refused the sender or the recipient',
  EMESSAGE: 'refused the mail',
  ETIMEDOUT: 'did not answer in time',
  ESOCKET: 'can not be reached, or closed the connection',
  ECONNECTION: 'can not be reached, or closed the connection',
  EPROTOCOL: 'does not answer as a mail server does',
};

function kindOf(failure: Error): PortErrorKind {
  const { code = '', originalCode = '', responseCode, timeoutType, syscall } = failure as SmtpFailure;
  // A wrong password or certificate is mended by an operator, after which the same mail is taken.
  if (code === 'EAUTH' || code === 'ETLS' || code === 'EDNS' || TLS_TROUBLE.test(originalCode)) return 'unavailable';
  // The server's answer is a fact: 4xx asks to try again later.
  if (responseCode !== undefined) return responseCode >= 500 ? 'refused' : 'unavailable';
  if (BEFORE_MAIL.has(code)) return 'refused';
  const neverConnected = syscall === 'connect' || (timeoutType !== undefined && timeoutType !== 'SOCKET_TIMEOUT');
  return neverConnected ? 'unavailable' : 'unknown';
}
