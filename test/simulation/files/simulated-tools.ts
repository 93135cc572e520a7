import { PortError } from '#ports/errors.ts';
import type { ConvertRequest, MediaTools, ProbeRequest } from '#ports/media-tools.ts';
import type { MemoryScratchDisk } from '#adapters/memory/scratch-disk.ts';
import type { Owner, SimulationEngine } from '../engine.ts';
import type { GivenFiles } from './given-files.ts';
import { converted, factsOf, sha256Of } from './picture-bytes.ts';

export interface SimulatedToolsOptions {
  readonly engine: SimulationEngine;
  readonly owner: Owner;
  readonly disk: MemoryScratchDisk;
  readonly files: GivenFiles;
  readonly crash: () => void;
}

const PROBE_MS = 40;
const NEVER = new Promise<never>(() => {});

/** Tools of one process, whose work takes simulated time, and may end the process or never end. */
export function createSimulatedTools(options: SimulatedToolsOptions): MediaTools {
  return {
    probe: async (request) => {
      const bytes = await opened(options, request, PROBE_MS);
      const facts = factsOf(bytes);
      if (facts === null) return { kind: 'refused', words: 'The file is none that can be posted.' };
      const { bytes: _, sha256: _hash, ...known } = facts;
      return { kind: 'known', facts: known, privateParts: [] };
    },
    convert: (request) => convert(options, request),
  };
}

async function convert(options: SimulatedToolsOptions, request: ConvertRequest) {
  const { engine, files, disk, crash } = options;
  const { target, into, signal } = request;
  const source = await opened(options, { ...request, path: request.source.path }, 0);
  const file = files.of(source);
  // Bytes that no Member gave can only be a mixture of some.
  if (file === null) throw new Error(`${request.source.path} holds bytes that nobody gave`);
  if (file.hangs > 0) {
    file.hangs--;
    files.note(file.name, 'hangs', engine.now);
    await aborted(signal, NEVER);
  }
  await lasting(options, `${options.owner.name} converts ${file.name}`, file.takesMs, signal);
  if (file.crashes > 0) {
    file.crashes--;
    files.note(file.name, 'crashes', engine.now);
    crash();
    return NEVER;
  }
  if (file.isBroken) {
    files.note(file.name, 'is broken', engine.now);
    return { kind: 'refused', words: 'The picture is damaged.' } as const;
  }
  const bytes = converted(source, target);
  disk.put(into, bytes);
  const { contentType, width, height } = factsOf(bytes)!;
  const made = { contentType, width, height, bytes: bytes.length, sha256: sha256Of(bytes), durationMs: null };
  return { kind: 'converted', ...made, reused: false } as const;
}

async function opened(
  options: SimulatedToolsOptions,
  { path, signal }: ProbeRequest,
  takesMs: number,
): Promise<Buffer> {
  await lasting(options, `${options.owner.name} opens a file`, takesMs, signal);
  const bytes = options.disk.bytes(path);
  if (bytes === null) throw new PortError('unavailable', `there is no file ${path}`);
  return bytes;
}

function lasting(
  { engine, owner }: SimulatedToolsOptions,
  label: string,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return aborted(signal, engine.pass({ label, owner, delayMs }));
}

/** Rejects with the signal's reason when it is aborted first. */
async function aborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(signal?.reason as Error);
  signal?.addEventListener('abort', end);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}
