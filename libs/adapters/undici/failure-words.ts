/** Words for a person for the error codes of undici, Node's TLS and the system. */
const WORDS: readonly (readonly [code: RegExp, words: string])[] = [
  [/^ECONNREFUSED$/, 'refused the connection'],
  [
    /^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|HPE_INVALID_EOF_STATE)$/,
    'closed the connection before its answer was whole',
  ],
  [/^(ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/, 'can not be reached'],
  [/^CERT_HAS_EXPIRED$/, 'has a certificate that has expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'has a certificate for another name'],
  [
    /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERROR_IN_CERT_|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE))/,
    'has a certificate that can not be trusted',
  ],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_)/, 'does not speak TLS as it should'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'answers with too many headers'],
  [/^HPE_/, 'does not answer as HTTP asks for'],
];

/** The predicate of a sentence whose subject is the host. */
export function wordsOf(error: Error): string {
  const codes = [error, (error as AggregateError).errors?.[0], error.cause].map(
    (one) => (one as NodeJS.ErrnoException | undefined)?.code ?? '',
  );
  const found = codes.flatMap((code) => WORDS.find(([pattern]) => pattern.test(code))?.[1] ?? [])[0];
  return found ?? `gave no answer (${error.message})`;
}
