import type { WorkspaceState } from '#domain/workspace/state.ts';

/** Parts of a state that are shorter are encoded anew each time: copying them costs as much as making them. */
const KEPT_FROM_BYTES = 1_024;

/**
 * A part of a state, such as its Channels by id, as it was encoded last. A state is never changed in place, so the same
 * object has the same JSON.
 */
interface KeptPart {
  readonly value: object;
  readonly names: readonly string[];
  readonly members: readonly unknown[];
  /** Where the JSON of each member ends, without the comma after it. */
  readonly ends: readonly number[];
  readonly json: Buffer;
}

const NOTHING_KEPT: KeptPart = { value: {}, names: [], members: [], ends: [], json: Buffer.alloc(0) };

/**
 * Encodes the heads of one Workspace, one after the other. A turn changes little of a state that may have hundreds of
 * Channels, and all else of it is the same objects as before. Of those the bytes are kept, so that a turn costs what it
 * changed and a copy of the rest, and not the JSON of the whole Workspace.
 */
export class HeadEncoder {
  readonly #parts = new Map<string, KeptPart>();

  /**
   * The body of a head: the bytes that `JSON.stringify` would make. `pendingJson`: the JSON of its pending effects,
   * which are most of it, and whose size had to be known before.
   */
  encodeHead(state: WorkspaceState, pendingJson: string): Uint8Array {
    const chunks: Uint8Array[] = [];
    let text = '{"state":{';
    let separator = '';
    for (const [name, value] of Object.entries(state) as [string, unknown][]) {
      if (value === undefined) continue;
      text += `${separator}${JSON.stringify(name)}:`;
      separator = ',';
      if (!isRecord(value)) {
        text += JSON.stringify(value);
        continue;
      }
      chunks.push(Buffer.from(text, 'utf8'), this.#partOf(name, value));
      text = '';
    }
    chunks.push(Buffer.from(`${text}},"pending":${pendingJson}}`, 'utf8'));
    return Buffer.concat(chunks);
  }

  #partOf(name: string, value: Readonly<Record<string, unknown>>): Buffer {
    const kept = this.#parts.get(name) ?? NOTHING_KEPT;
    if (kept.value === value) return kept.json;
    const part = encodePart(value, kept);
    if (part.json.length < KEPT_FROM_BYTES) this.#parts.delete(name);
    else this.#parts.set(name, part);
    return part.json;
  }
}

/** Members that stand at the same place as before are copied, neighbours at once. */
function encodePart(value: Readonly<Record<string, unknown>>, kept: KeptPart): KeptPart {
  // Together, and not name by name: an object of hundreds of names looks each of them up.
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  const names = given.map(([name]) => name);
  const members = given.map(([, member]) => member);
  const isKept = (index: number): boolean =>
    names[index] === kept.names[index] && members[index] === kept.members[index];
  const chunks: Buffer[] = [];
  const ends: number[] = [];
  let bytes = 0;
  const put = (chunk: Buffer): void => {
    chunks.push(chunk);
    bytes += chunk.length;
  };
  for (let index = 0; index < names.length;) {
    put(Buffer.from(index === 0 ? '{' : ','));
    let next = index + 1;
    if (!isKept(index)) {
      put(Buffer.from(`${JSON.stringify(names[index])}:${JSON.stringify(members[index])}`, 'utf8'));
      ends.push(bytes);
    } else {
      const from = index === 0 ? 1 : kept.ends[index - 1]! + 1;
      while (next < names.length && isKept(next)) next += 1;
      for (let member = index; member < next; member++) ends.push(bytes + kept.ends[member]! - from);
      put(kept.json.subarray(from, kept.ends[next - 1]));
    }
    index = next;
  }
  put(Buffer.from(names.length === 0 ? '{}' : '}'));
  return { value, names, members, ends, json: Buffer.concat(chunks) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
