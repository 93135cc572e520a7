/** A file to upload: one of these. */
export type UploadSource =
  /** What a file input of a browser gives, or any Blob. */
  | { readonly file: Blob }
  /** A Buffer, or any other bytes in memory. */
  | { readonly bytes: Uint8Array }
  /** A file of this machine; not in browsers. */
  | { readonly path: string }
  /** A function is asked anew when a lost connection makes it begin again; a stream can be sent once only. */
  | {
      readonly stream: ReadableStream<Uint8Array> | (() => ReadableStream<Uint8Array>);
      /** How many bytes it has. */
      readonly size: number;
    };

export interface UploadContent {
  /** As the file calls itself, for the type and for people. */
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** The whole content, where it may be read again. */
  readonly blob: Blob | null;
  /** The bytes from the start; null: they were given out, and can't be again. */
  open(): ReadableStream<Uint8Array> | null;
}

const TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
};

/** The content of a source. Rejects when the file can't be read, or names no type and has none in its name. */
export async function contentOf(
  source: UploadSource,
  given: { readonly filename?: string; readonly contentType?: string },
): Promise<UploadContent> {
  const { blob, size, open, name } = await bytesOf(source);
  const filename = given.filename ?? name;
  const type =
    given.contentType ?? (TYPES[filename.split('.').at(-1)!.toLowerCase()] || (blob?.type ?? '').split(';')[0]!);
  if (type === '')
    throw new TypeError(
      `${filename} has no type that is known: name it .jpg, .png, .webp, .mp4 or .mov, or give contentType`,
    );
  return { name: filename, type, size, blob, open };
}

type Content = Omit<UploadContent, 'type'>;

async function bytesOf(source: UploadSource): Promise<Content> {
  if ('stream' in source) {
    const { stream, size } = source;
    let once = typeof stream === 'function' ? null : stream;
    const open = (): ReadableStream<Uint8Array> | null => {
      if (typeof stream === 'function') return stream();
      const given = once;
      once = null;
      return given;
    };
    return { name: 'file', size, blob: null, open };
  }
  if ('path' in source) return ofPath(source.path);
  if ('bytes' in source) return ofBlob(new Blob([source.bytes as Uint8Array<ArrayBuffer>]), 'file');
  return ofBlob(source.file, 'name' in source.file ? String(source.file.name) : 'file');
}

function ofBlob(blob: Blob, name: string): Content {
  return { name, size: blob.size, blob, open: () => blob.stream() as ReadableStream<Uint8Array> };
}

/** Asked of the runtime in this way, bundlers for browsers look for no module of Node. */
interface Runtime {
  readonly process?: { getBuiltinModule?(name: string): unknown };
}

interface FileModule {
  readonly promises: { stat(path: string): Promise<{ readonly size: number }> };
  createReadStream(path: string): object;
}

interface StreamModule {
  readonly Readable: { toWeb(readable: object): ReadableStream<Uint8Array> };
}

async function ofPath(path: string): Promise<Content> {
  const { process } = globalThis as Runtime;
  const files = process?.getBuiltinModule?.('node:fs') as FileModule | undefined;
  const streams = process?.getBuiltinModule?.('node:stream') as StreamModule | undefined;
  if (files === undefined || streams === undefined)
    throw new TypeError('A path is taken by Node and Deno only: give a file, bytes or a stream');
  const { size } = await files.promises.stat(path);
  const open = (): ReadableStream<Uint8Array> => streams.Readable.toWeb(files.createReadStream(path));
  return { name: path.split(/[/\\]/).at(-1)!, size, blob: null, open };
}
