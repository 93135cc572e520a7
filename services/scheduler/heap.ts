/** A binary min-heap. */
export class Heap<T> {
  readonly #before: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  /** Visits the items for which `isWanted` holds, where it holds for none behind one for which it does not. */
  visit(isWanted: (item: T) => boolean, visitor: (item: T) => void): void {
    const items = this.#items;
    const open = [0];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const item = items[at];
      if (item === undefined || !isWanted(item)) continue;
      visitor(item);
      open.push(at * 2 + 1, at * 2 + 2);
    }
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(item, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (top === undefined || last === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#before(items[child + 1]!, items[child]!)) child++;
      if (!this.#before(items[child]!, last)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return top;
  }
}
