import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { createMediaAddresses } from '#media/media-addresses.ts';
import { readSignedRequest } from '#networks/graph/signed-request.ts';
import { createCursors } from '#use-cases/cursors.ts';
import { createAuditCursors } from '#use-cases/list-audit.ts';
import { createUploadAddresses } from '#use-cases/upload-addresses.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedText } from '../mutations.ts';

/** Texts that Crier signed and others hand back, each with what it stands for; null: it is refused. */
interface SignedText {
  readonly text: string;
  readonly open: (text: string) => unknown;
}

const SECRET = 'a secret of the installation';
const ID = '01890000-0000-7000-8000-000000000100';

function signedTexts(): Readonly<Record<string, SignedText>> {
  const cursors = createCursors(SECRET, ['an earlier secret']);
  const audit = createAuditCursors(SECRET);
  const uploads = createUploadAddresses(SECRET);
  const media = createMediaAddresses({ baseUrl: () => 'https://crier.test', secret: SECRET });
  const scope = { workspaceId: ID, from: null, to: 5 };
  const offer = { assetId: ID, contentType: 'image/png', bytes: 5_000, expiresAt: 1_900_000_000_000 } as const;
  const uploadPath = uploads.pathOf(offer);
  return {
    cursor: { text: cursors.seal(ID, scope), open: (text) => cursors.open(text, scope) },
    'audit cursor': {
      text: audit.seal({ at: 1_900_000_000_000, id: ID }, ID),
      open: (text) => audit.open(text, ID),
    },
    'upload address': {
      text: uploadPath.slice(uploadPath.indexOf('?') + 1),
      open: (text) => uploads.open(ID, Object.fromEntries(new URLSearchParams(text))),
    },
    'media address': {
      text: media.urlOf({ blob: 'originals/0a1b', contentType: 'video/mp4', addressVersion: 2 }).split('/').at(-1)!,
      open: (text) => media.open(text),
    },
    'signed request': { text: signedRequest(), open: (text) => userOf(text) },
  };
}

function signedRequest(): string {
  const payload = Buffer.from(
    JSON.stringify({ algorithm: 'HMAC-SHA256', issued_at: 1_700_000_000, user_id: '218471' }),
  ).toString('base64url');
  return `${createHmac('sha256', SECRET).update(payload).digest('base64url')}.${payload}`;
}

function userOf(text: string): string | null {
  const read = readSignedRequest(text, SECRET);
  return read.kind === 'ok' ? read.userId : null;
}

export const signedTextsTarget = fuzzTarget<{ readonly kind: string; readonly text: string }>({
  name: 'signed-texts',
  holds: 'a cursor, address or request that was signed opens as what was signed, and any other text opens as nothing',
  cases: 5_000,
  open: async () => {
    const kinds = signedTexts();
    const expected = new Map(Object.entries(kinds).map(([kind, { text, open }]) => [kind, open(text)]));
    for (const [kind, opened] of expected) assert(opened !== null, `the ${kind} itself does not open`);
    return {
      inputs: fc.constantFrom(...Object.keys(kinds)).chain((kind) =>
        // Parts of others are signed too, only not for this.
        fc.record({
          kind: fc.constant(kind),
          text: mutatedText(fc.constantFrom(kinds[kind]!.text, ...Object.values(kinds).map(({ text }) => text))),
        }),
      ),
      crashes: {},
      sizeOf: ({ text }) => text.length,
      check: ({ kind, text }) => {
        const opened = kinds[kind]!.open(text);
        if (opened === null) return;
        assert.deepEqual(opened, expected.get(kind), `${kind}: a text that was not signed opens`);
        if (kind !== 'upload address' && kind !== 'signed request') assert.equal(text, kinds[kind]!.text);
      },
    };
  },
});
