import type { Pause } from '#concurrency/time-slice.ts';

/** JSON.parse of so much takes two milliseconds at worst, when every few bytes are another name. */
const PIECE_BYTES = 12_000;
/** Twice what any request has. Objects with more names are slow to build, and to look into afterwards. */
const MAX_MEMBERS = 1_000;
const MAX_DEPTH = 64;
const TOKENS_BETWEEN_PAUSES = 4_096;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const BLANK = /^[ \t\r\n]*$/;

const NO_JSON = 'The request body is not valid JSON.';
const TOO_MANY = 'has an object or an array with more than 1,000 members.';
const TOO_DEEP = 'has objects or arrays more than 64 deep.';
const MAX_NAME = 100;

/** A text that is not parsed. The message is for the caller. */
export class UnreadableJson extends Error {
  override readonly name = 'UnreadableJson';
}

/** An object or an array in the text. */
interface Container {
  readonly kind: number;
  /** Of its bracket. */
  readonly start: number;
  /** Behind its other bracket. */
  end: number;
  /** Between its members. */
  readonly commas: number[];
  /** Those of its members that are too large for one piece. */
  readonly large: Container[];
}

/**
 * The value of a JSON text in valid UTF-8, as JSON.parse has it. The text is parsed in pieces, with a pause before
 * each: JSON.parse of a megabyte of short names takes more than a tenth of a second in one go. Rejects with
 * `UnreadableJson` for what is no JSON, and for what has more members in one place, or more depth, than any request.
 */
export async function parseInPieces(bytes: Buffer, pause: Pause): Promise<unknown> {
  const root = bytes.length <= PIECE_BYTES ? null : await outlineOf(bytes, pause);
  if (root === null || !isLarge(root)) return parsed(bytes.toString());
  mustBeBlank(bytes, 0, root.start);
  mustBeBlank(bytes, root.end, bytes.length);
  return build(bytes, root, pause);
}

/** Null: the value is no object and no array. That the text is JSON otherwise is for those to see who parse it. */
async function outlineOf(bytes: Buffer, pause: Pause): Promise<Container | null> {
  const open: Container[] = [];
  let root: Container | null = null;
  for (let [at, tokens] = [0, 1]; at < bytes.length; at++, tokens++) {
    if (tokens % TOKENS_BETWEEN_PAUSES === 0) await pause();
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      while (++at < bytes.length && bytes[at] !== QUOTE) if (bytes[at] === BACKSLASH) at += 1;
    } else if (byte === COMMA) {
      const { commas } = open.at(-1) ?? refuse(NO_JSON);
      if (commas.push(at) >= MAX_MEMBERS) refuse(`${fieldOf(bytes, open)} ${TOO_MANY}`);
    } else if (byte === OBJECT || byte === ARRAY) {
      if (open.length === MAX_DEPTH) refuse(`${fieldOf(bytes, open)} ${TOO_DEEP}`);
      const container: Container = { kind: byte, start: at, end: at, commas: [], large: [] };
      root ??= container;
      open.push(container);
    } else if (byte === OBJECT_END || byte === ARRAY_END) {
      const container = open.pop() ?? refuse(NO_JSON);
      if ((container.kind === OBJECT) !== (byte === OBJECT_END)) refuse(NO_JSON);
      container.end = at + 1;
      if (isLarge(container)) open.at(-1)?.large.push(container);
    }
  }
  return open.length === 0 ? root : refuse(NO_JSON);
}

/** As people call what is open: the field of the body in which it is. */
function fieldOf(bytes: Buffer, [root, member]: readonly Container[]): string {
  if (root?.kind !== OBJECT || member === undefined) return 'The request body';
  const name = nameIn(bytes.toString('utf8', (root.commas.at(-1) ?? root.start) + 1, member.start));
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}...` : name;
}

/** Of a member, by what stands before its value. */
function nameIn(text: string): string {
  return Object.keys(parsed(`{${text}null}`) as object)[0]!;
}

function isLarge({ start, end }: Container): boolean {
  return end - start > PIECE_BYTES;
}

/** Small members that stand side by side are parsed together, and a large one by itself. */
async function build(bytes: Buffer, container: Container, pause: Pause): Promise<unknown> {
  const { kind, start, end, commas } = container;
  const building = new Building(bytes, kind === OBJECT);
  const large = [...container.large];
  let piece = start + 1;
  let member = piece;
  for (const until of [...commas, end - 1]) {
    const own = (large[0]?.start ?? end) < until ? large.shift() : undefined;
    const isLast = until === end - 1;
    if (own === undefined && !isLast && until - piece <= PIECE_BYTES) {
      member = until + 1;
      continue;
    }
    await pause();
    if (own === undefined) building.addMembers(piece, until, isLast && commas.length === 0);
    else {
      if (member > piece) building.addMembers(piece, member - 1, false);
      mustBeBlank(bytes, own.end, until);
      building.addLarge(member, own.start, await build(bytes, own, pause));
    }
    piece = member = until + 1;
  }
  return building.value;
}

/** An object or an array that is put together from pieces of its text. */
class Building {
  readonly value: Record<string, unknown> | unknown[];
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, isObject: boolean) {
    this.#bytes = bytes;
    this.value = isObject ? {} : [];
  }

  addMembers(from: number, to: number, mayBeNone: boolean): void {
    const text = this.#bytes.toString('utf8', from, to);
    const members = parsed(Array.isArray(this.value) ? `[${text}]` : `{${text}}`) as object;
    const names = Object.keys(members);
    if (names.length === 0 && !mayBeNone) refuse(NO_JSON);
    if (Array.isArray(this.value)) this.value.push(...(members as unknown[]));
    else for (const name of names) this.#set(name, (members as Record<string, unknown>)[name]);
  }

  /** A member whose value begins at `to`; what stands before it is its name. */
  addLarge(from: number, to: number, value: unknown): void {
    if (Array.isArray(this.value)) {
      mustBeBlank(this.#bytes, from, to);
      this.value.push(value);
      return;
    }
    this.#set(nameIn(this.#bytes.toString('utf8', from, to)), value);
  }

  /** As JSON.parse does: an assignment to `__proto__` would change the object's prototype. */
  #set(name: string, value: unknown): void {
    const descriptor = { value, writable: true, enumerable: true, configurable: true };
    if (name === '__proto__') Object.defineProperty(this.value, name, descriptor);
    else (this.value as Record<string, unknown>)[name] = value;
  }
}

function mustBeBlank(bytes: Buffer, from: number, to: number): void {
  if (!BLANK.test(bytes.toString('utf8', from, to))) refuse(NO_JSON);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(NO_JSON);
  }
}

function refuse(message: string): never {
  throw new UnreadableJson(message);
}
