import { createHash } from 'node:crypto';
import type { Dice } from './dice.ts';
import type { World } from './world.ts';

/** An id that looks like one of ours, and that no draw of anybody else changes. */
export function freshId({ engine }: World, dice: Dice, workspaceId: string): string {
  const hex = createHash('sha256').update(`${workspaceId} ${engine.now} ${dice.random()}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
