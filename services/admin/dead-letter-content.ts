import type { Codec } from '#messages/messages.ts';

const MAX_CHARACTERS = 65_536;
const MAX_BYTES = 49_152;

/** What a record holds, for a person. Longer than 64 KiB it is cut. */
export type RecordContent =
  | { readonly form: 'message'; readonly message: unknown; readonly cut: false }
  /** The beginning of the message's JSON. */
  | { readonly form: 'text'; readonly text: string; readonly cut: true }
  /** No message of this release: the bytes, and why they can not be read. */
  | { readonly form: 'base64'; readonly base64: string; readonly cut: boolean; readonly detail: string };

/** Rejects with `PortError` when the registry of schemas is away. */
export async function contentOf(codec: Codec, value: Uint8Array): Promise<RecordContent> {
  const decoded = await codec.decode(value);
  if (!decoded.ok) {
    const { detail } = decoded;
    const base64 = base64Of(value.subarray(0, MAX_BYTES));
    return { form: 'base64', base64, cut: value.length > MAX_BYTES, detail };
  }
  const { message } = decoded;
  // A timer carries the message that it fires.
  const shown =
    message.type === 'TimerSet' ? { ...message, payload: await contentOf(codec, message.payload) } : message;
  const text = JSON.stringify(shown, withoutBytes);
  if (text.length > MAX_CHARACTERS) return { form: 'text', text: text.slice(0, MAX_CHARACTERS), cut: true };
  return { form: 'message', message: JSON.parse(text) as unknown, cut: false };
}

/** JSON has no bytes: they are base64. A Buffer turns itself into an object before a replacer sees it. */
function withoutBytes(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Readonly<Record<string, unknown>>)[key];
  return original instanceof Uint8Array ? base64Of(original) : value;
}

const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
