import { Readable } from 'node:stream';
import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import type { SimulatedCaller, Workspace } from './caller.ts';
import type { Dice } from './dice.ts';
import type { GivenFile } from './files/given-files.ts';
import type { UploadEntry } from './history.ts';
import type { Recorder } from './recorder.ts';
import type { World } from './world.ts';

/** What a client does with files, and how often in relation to the rest. */
export const FILE_ACTIONS = {
  'create with files': 8,
  'use a file twice': 1,
  'upload and leave it': 2,
  'remove an upload': 1,
} as const;
export type FileAction = keyof typeof FILE_ACTIONS;

const MAX_FILES = 3;
const UPLOAD_SHARE = 0.5;
const MAX_TRIES = 3;
const PIECES = 3;
const BREAKS_OFF_SHARE = 0.15;
/** After it was completed, something else is sent to its address. */
const SENT_AGAIN_SHARE = 0.2;

/** What a Post is created with. */
export interface FilesOfPost {
  readonly media: CreatePostInput['media'];
  readonly files: readonly string[];
  readonly assetIds: readonly string[];
  readonly isLater: boolean;
}

export interface FileDeedsOptions {
  readonly world: World;
  readonly recorder: Recorder;
  readonly caller: SimulatedCaller;
  readonly create: (workspace: Workspace, of: FilesOfPost) => Promise<void>;
}

/** What one client does with files in its Workspaces. */
export class FileDeeds {
  readonly #options: FileDeedsOptions;

  constructor(options: FileDeedsOptions) {
    this.#options = options;
  }

  async do(deed: FileAction, workspace: Workspace, dice: Dice): Promise<void> {
    switch (deed) {
      case 'create with files':
        return this.#createWithFiles(workspace, dice);
      case 'use a file twice': {
        const upload = await this.#upload(workspace, dice);
        if (upload === null) return;
        const of = { ...ofUpload(upload), isLater: false };
        await Promise.all([this.#options.create(workspace, of), this.#options.create(workspace, of)]);
        return;
      }
      case 'upload and leave it':
        return void (await this.#upload(workspace, dice, dice.pick(['reserved', 'sent', 'completed'])));
      case 'remove an upload': {
        const { caller, recorder } = this.#options;
        const upload = await this.#upload(workspace, dice);
        if (upload === null) return;
        const { assetId } = upload;
        const entry = recorder.history.add({ kind: 'upload removed', ...recorder.opened(workspace), assetId });
        return recorder.close(entry, await caller.removeUpload(workspace, assetId));
      }
    }
  }

  async #createWithFiles(workspace: Workspace, dice: Dice): Promise<void> {
    const { world, create } = this.#options;
    const parts: Omit<FilesOfPost, 'isLater'>[] = [];
    for (let count = dice.between(1, MAX_FILES + 1); count > 0; count--) {
      if (dice.chance(UPLOAD_SHARE)) {
        const upload = await this.#upload(workspace, dice);
        if (upload !== null) parts.push(ofUpload(upload));
      } else {
        const file = this.#make(dice);
        parts.push({ media: [{ url: world.openAddress(file, dice) }], files: [file.name], assetIds: [] });
      }
    }
    if (parts.length === 0) return;
    await create(workspace, {
      media: parts.flatMap(({ media }) => media),
      files: parts.flatMap(({ files }) => files),
      assetIds: parts.flatMap(({ assetIds }) => assetIds),
      isLater: dice.chance(0.6),
    });
  }

  #make(dice: Dice): GivenFile {
    const { files, hasFaults } = this.#options.world;
    return files.make(dice, hasFaults);
  }

  /** Null: it did not come to what was wanted. */
  async #upload(
    workspace: Workspace,
    dice: Dice,
    until: 'reserved' | 'sent' | 'completed' = 'completed',
  ): Promise<{ readonly assetId: string; readonly file: GivenFile } | null> {
    const { recorder, caller } = this.#options;
    const file = this.#make(dice);
    const { bytes, contentType } = file;
    const entry = recorder.history.add<UploadEntry>({
      ...{ kind: 'upload', ...recorder.opened(workspace), file: file.name },
      ...{ assetId: null, wasSent: false },
    });
    const reserved = await caller.reserveUpload(workspace, { filename: 'a.png', contentType, bytes: bytes.length });
    if (!reserved?.ok) return (recorder.close(entry, reserved), null);
    const { assetId, uploadUrl } = reserved.value;
    entry.assetId = assetId;
    if (until === 'reserved') return (recorder.close(entry, reserved), null);
    entry.wasSent = await this.#send(uploadUrl, bytes, dice);
    if (until === 'sent' || !entry.wasSent) return (recorder.close(entry, null), null);
    const completed = await this.#untilKnown(() => caller.completeUpload(workspace, assetId));
    recorder.close(entry, completed);
    if (dice.chance(SENT_AGAIN_SHARE)) await caller.sendFile(uploadUrl, this.#stream(this.#other(bytes), dice, false));
    return completed?.ok === true ? { assetId, file } : null;
  }

  /** Of the same length, so that the address takes it. */
  #other(bytes: Buffer): Buffer {
    return Buffer.concat([bytes.subarray(0, -1), Buffer.from('?')]);
  }

  async #send(uploadUrl: string, bytes: Buffer, dice: Dice): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const content = this.#stream(bytes, dice, dice.chance(BREAKS_OFF_SHARE));
      const outcome = await this.#options.caller.sendFile(uploadUrl, content);
      if (outcome?.ok === true) return true;
    }
    return false;
  }

  #stream(bytes: Buffer, dice: Dice, breaksOff: boolean): Readable {
    const { engine } = this.#options.world;
    const each = Math.ceil(bytes.length / PIECES);
    const delaysMs = Array.from({ length: PIECES }, () => dice.between(0, 2_000));
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const [index, delayMs] of delaysMs.entries()) {
        await engine.pass({ label: 'a piece of an upload', owner: null, delayMs });
        if (breaksOff && index === PIECES - 1) throw new Error('the client is gone');
        yield bytes.subarray(index * each, (index + 1) * each);
      }
    }
    return Readable.from(pieces());
  }

  async #untilKnown<T extends { readonly ok: boolean } | null>(ask: () => Promise<T>): Promise<T> {
    let answer = await ask();
    for (let tries = 1; tries < MAX_TRIES && answer === null; tries++) {
      await this.#options.caller.pause(3_000);
      answer = await ask();
    }
    return answer;
  }
}

function ofUpload({
  assetId,
  file,
}: {
  readonly assetId: string;
  readonly file: GivenFile;
}): Omit<FilesOfPost, 'isLater'> {
  return { media: [{ assetId }], files: [file.name], assetIds: [assetId] };
}
