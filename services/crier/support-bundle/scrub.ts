const MIN_CHARACTERS = 6;
const SECRET = '[secret]';

/** What looks like a secret, or names a person, wherever it stands. Later ones see what earlier ones left. */
const SHAPES: readonly (readonly [shape: RegExp, instead: string])[] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g, SECRET],
  // Sealed values: useless without the secret of the installation, and nobody needs them.
  [/\bv1\.[0-9a-f]{8}\.[\w-]{20,}/g, SECRET],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${SECRET}`],
  [/\b(whsec|sk|rk|pk|crier)_(?=\w*[A-Z\d])[\w-]{24,}/g, SECRET],
  // Of addresses neither who signs in there nor what is asked: tokens and signatures travel in both.
  [/:\/\/[^\s/"'@]+@/g, `://${SECRET}@`],
  [/(https?:\/\/[^\s"'?\\]+)\?[^\s"'\\]*/g, '$1?[query]'],
  [/\b(\w*(?:password|secret|token|apikey|api_key|signature))=(?:\\?"[^"\\]*\\?"|[^\s"'&;,]+)/gi, `$1=${SECRET}`],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '[e-mail]'],
  // Tokens of any other maker: long, and of small letters, capitals and digits.
  [/(?<![\w=+-])(?=[\w=+-]*[a-z])(?=[\w=+-]*[A-Z])(?=[\w=+-]*\d)[\w=+-]{32,}/g, SECRET],
];

/**
 * Takes out of a text every one of `secrets`, in whatever form JSON, an address or base64 gives it, and whatever looks
 * like a secret or an e-mail address. What was JSON stays JSON.
 */
export function createScrub(secrets: Iterable<string>): (text: string) => string {
  const known = [...new Set([...secrets].flatMap(formsOf))]
    .filter((form) => form.length >= MIN_CHARACTERS)
    // A longer one may contain a shorter one.
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    let scrubbed = text;
    for (const form of known) scrubbed = scrubbed.replaceAll(form, SECRET);
    for (const [shape, instead] of SHAPES) scrubbed = scrubbed.replace(shape, instead);
    return scrubbed;
  };
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}
