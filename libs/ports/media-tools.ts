import type { AcceptedType, FileFacts } from '#domain/media/file-facts.ts';
import type { ImageTarget, Target, VideoTarget } from '#domain/media/target.ts';

/** The file can't be used, whoever tries: `words` say why to the Member who gave it. */
export interface MediaRefusal {
  readonly kind: 'refused';
  readonly words: string;
}

/**
 * This installation can't do it until somebody installs what is missing, which `words` name; another file of its kind
 * fares no better.
 */
export interface MissingTool {
  readonly kind: 'unable';
  readonly words: string;
}

export type ProbeResult =
  { readonly kind: 'known'; readonly facts: Omit<FileFacts, 'bytes' | 'sha256'> } | MediaRefusal | MissingTool;

export interface ProbeRequest {
  readonly path: string;
  /** Aborted: rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface ConvertRequest {
  /** A file that was probed. */
  readonly source: { readonly path: string; readonly facts: FileFacts };
  /** Made for these facts. */
  readonly target: Target;
  /** Where the result goes: the path of a file that is not there. */
  readonly into: string;
  /** Aborted: everything started for it is killed, its files are removed, and it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** How much is done, from 0 to 1, now and then; never less than before. */
  readonly onProgress?: (done: number) => void;
}

export interface Conversion {
  readonly kind: 'converted';
  readonly contentType: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly width: number;
  readonly height: number;
  /** Videos only. */
  readonly durationMs: number | null;
  /** The source fits as it is: nothing was written, and these are its facts. */
  readonly reused: boolean;
}

export type ConvertResult = Conversion | MediaRefusal | MissingTool;

/**
 * Looks into files that strangers made, and makes of them what Networks take. Every call ends within a time that the
 * file's size and length bound, in bounded memory, and leaves no process behind. Rejects with `PortError` `unavailable`
 * when a tool was killed from outside or could not run, and trying again may help; the file is then as good as before.
 */
export interface MediaTools {
  probe(request: ProbeRequest): Promise<ProbeResult>;
  /** Nothing is left at `into` unless it answers `converted` and not `reused`. */
  convert(request: ConvertRequest): Promise<ConvertResult>;
}

export type PictureType = Extract<AcceptedType, `image/${string}`>;
export type PictureRequest = Omit<ConvertRequest, 'target'> & { readonly target: ImageTarget };
export type VideoRequest = Omit<ConvertRequest, 'target'> & { readonly target: VideoTarget };

/** As of `MediaTools`, for files that begin as `contentType` says. */
export interface PictureTools {
  probe(
    request: ProbeRequest,
    contentType: PictureType,
  ): Promise<MediaRefusal | { readonly kind: 'known'; readonly facts: Pick<FileFacts, 'width' | 'height'> }>;
  convert(request: PictureRequest): Promise<ConvertResult>;
  /** Ends the workers, also those that are at work. */
  close(): Promise<void>;
}

/** As of `MediaTools`, for files that begin as MP4 or MOV do. */
export interface VideoTools {
  probe(
    request: ProbeRequest,
  ): Promise<
    | MediaRefusal
    | MissingTool
    | { readonly kind: 'known'; readonly facts: Pick<FileFacts, 'width' | 'height' | 'durationMs'> }
  >;
  convert(request: VideoRequest): Promise<ConvertResult>;
}
