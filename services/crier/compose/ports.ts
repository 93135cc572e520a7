import type { Codec } from '#messages/messages.ts';
import type { WrittenFormat } from '#tables/release.ts';
import type { WorldPorts } from '#ports/ports.ts';
import type { Tracer } from '#ports/tracer.ts';

/** The world, as one process sees it. */
export interface Ports extends WorldPorts {
  readonly codec: Codec;
  readonly writtenFormat: WrittenFormat;
  readonly tracer?: Tracer;
}
