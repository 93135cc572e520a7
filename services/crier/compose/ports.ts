import type { Codec } from '#messages/messages.ts';
import type { WorldPorts } from '#ports/ports.ts';

/** The world, as one process sees it. */
export interface Ports extends WorldPorts {
  readonly codec: Codec;
}
