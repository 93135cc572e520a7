/** A binary min-heap: each step costs the logarithm of its size. */
export class Heap<T> {
  readonly #before: (a: T, b: T) => boolean;
  readonly #placed: (item: T, index: number) => void;
  readonly #items: T[] = [];

  /** `placed` is called whenever an item gets an index, by which `moved` and `removeAt` find it. */
  constructor(before: (a: T, b: T) => boolean, placed: (item: T, index: number) => void = () => {}) {
    this.#before = before;
    this.#placed = placed;
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
    this.moved(this.#items.push(item) - 1);
  }

  pop(): T | undefined {
    const top = this.#items[0];
    if (top !== undefined) this.removeAt(0);
    return top;
  }

  /** Drops the items for which `isWanted` does not hold. */
  keep(isWanted: (item: T) => boolean): void {
    for (const item of this.#items.splice(0).filter(isWanted)) this.push(item);
  }

  /** Puts the item at the index where it belongs, after its order has changed. */
  moved(index: number): void {
    const item = this.#items[index]!;
    this.#sink(this.#rise(index, item), item);
  }

  removeAt(index: number): void {
    const last = this.#items.pop()!;
    if (index === this.#items.length) return;
    this.#items[index] = last;
    this.moved(index);
  }

  /** Makes room for the item on the way to the top; the index that is its own then. */
  #rise(from: number, item: T): number {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#before(item, this.#items[parent]!)) break;
      this.#place(index, this.#items[parent]!);
      index = parent;
    }
    return index;
  }

  #sink(from: number, item: T): void {
    const items = this.#items;
    let index = from;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#before(items[child + 1]!, items[child]!)) child++;
      if (!this.#before(items[child]!, item)) break;
      this.#place(index, items[child]!);
      index = child;
    }
    this.#place(index, item);
  }

  #place(index: number, item: T): void {
    this.#items[index] = item;
    this.#placed(item, index);
  }
}
