import type { AcceptedType, FileFacts } from '#domain/media/file-facts.ts';
import type { ImageTarget, StillTarget, Target, VideoTarget } from '#domain/media/target.ts';

/** The file can't be used on any installation: `words` tell the Member who gave it why. */
export interface MediaRefusal {
  readonly kind: 'refused';
  readonly words: string;
}

/**
 * This installation can't do it until the operator installs the program that `words` name; other files of this kind
 * fail too.
 */
export interface MissingTool {
  readonly kind: 'unable';
  readonly words: string;
}

/**
 * A stretch of a file that says more than what the file shows: where, when, with which device and by whom it was made.
 * It is to be overwritten with `by` (base64, no longer than the stretch) and zeros behind it.
 */
export interface PrivatePart {
  readonly at: number;
  readonly bytes: number;
  readonly by: string;
}

/** In order, none over another; all that shows is left as it is. */
interface WithPrivateParts {
  readonly privateParts: readonly PrivatePart[];
}

export type ProbeResult =
  | ({ readonly kind: 'known'; readonly facts: Omit<FileFacts, 'bytes' | 'sha256'> } & WithPrivateParts)
  | MediaRefusal
  | MissingTool;

interface OfWorkspace {
  /** Whose file it is: a process that a file takes over meets no file of another Workspace. */
  readonly workspaceId: string;
}

export interface ProbeRequest extends OfWorkspace {
  readonly path: string;
  /** When aborted, rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface ConvertRequest extends OfWorkspace {
  /** A file that was probed. */
  readonly source: { readonly path: string; readonly facts: FileFacts };
  /** The plan is made for these facts. */
  readonly target: Target;
  /** Where the result is written: a path at which no file exists. */
  readonly into: string;
  /**
   * When aborted, every process started for it is killed, its files are removed, and it rejects with the signal's
   * reason.
   */
  readonly signal?: AbortSignal;
  /** The share that is done, from 0 to 1, reported at times; never decreasing. */
  readonly onProgress?: (done: number) => void;
}

export interface Conversion extends Omit<FileFacts, 'kind' | 'contentType'> {
  readonly kind: 'converted';
  readonly contentType: string;
  /** The source already fits: nothing was written, and these are its facts. */
  readonly reused: boolean;
}

export type ConvertResult = Conversion | MediaRefusal | MissingTool;

/**
 * Probes files that strangers made, and converts them to what Networks accept. Every call ends within a time that the
 * file's size and length bound, in bounded memory, and leaves no process behind. Rejects with `PortError` `unavailable`
 * when a tool was killed from outside or could not run; the file is unchanged, and another try may succeed.
 */
export interface MediaTools {
  probe(request: ProbeRequest): Promise<ProbeResult>;
  /** No file is left at `into` unless the answer is `converted` and not `reused`. */
  convert(request: ConvertRequest): Promise<ConvertResult>;
}

export type PictureType = Extract<AcceptedType, `image/${string}`>;
export type PictureRequest = Omit<ConvertRequest, 'target'> & { readonly target: ImageTarget };
export type StillRequest = Omit<ConvertRequest, 'target' | 'onProgress'> & { readonly target: StillTarget };
export type VideoRequest = Omit<ConvertRequest, 'target'> & { readonly target: VideoTarget };

/** The calls of `MediaTools` for pictures: files that begin as `contentType` says. */
export interface PictureTools {
  probe(
    request: ProbeRequest,
    contentType: PictureType,
  ): Promise<
    MediaRefusal | ({ readonly kind: 'known'; readonly facts: Pick<FileFacts, 'width' | 'height'> } & WithPrivateParts)
  >;
  convert(request: PictureRequest): Promise<ConvertResult>;
  /** Ends the workers, including those at work. */
  close(): Promise<void>;
}

/** The calls of `MediaTools` for files that begin as MP4 or MOV do. */
export interface VideoTools {
  probe(request: ProbeRequest): Promise<
    | MediaRefusal
    | MissingTool
    | ({
        readonly kind: 'known';
        readonly facts: Pick<FileFacts, 'width' | 'height' | 'durationMs'>;
      } & WithPrivateParts)
  >;
  convert(request: VideoRequest): Promise<ConvertResult>;
  /**
   * Writes the picture at an instant to `into`, as a PNG of the size of the target's picture; the rest of the target is
   * still to be made of it.
   */
  still(
    request: StillRequest,
  ): Promise<MediaRefusal | MissingTool | { readonly kind: 'taken'; readonly facts: FileFacts }>;
}
