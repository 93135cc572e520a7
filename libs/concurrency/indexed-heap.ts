/** A binary min-heap whose items can change their order or leave it: each step costs the logarithm of its size. */
export class IndexedHeap<T extends object> {
  readonly #before: (a: T, b: T) => boolean;
  readonly #items: T[] = [];
  readonly #indexes = new Map<T, number>();

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  has(item: T): boolean {
    return this.#indexes.has(item);
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  /** Adds the item, or moves it to where it belongs after its order has changed. */
  put(item: T): void {
    const index = this.#indexes.get(item) ?? this.#items.push(item) - 1;
    this.#sink(this.#rise(index, item), item);
  }

  delete(item: T): void {
    const index = this.#indexes.get(item);
    if (index === undefined) return;
    this.#indexes.delete(item);
    const last = this.#items.pop()!;
    if (last !== item) this.#sink(this.#rise(index, last), last);
  }

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
    let index = from;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= this.#items.length) break;
      if (child + 1 < this.#items.length && this.#before(this.#items[child + 1]!, this.#items[child]!)) child++;
      if (!this.#before(this.#items[child]!, item)) break;
      this.#place(index, this.#items[child]!);
      index = child;
    }
    this.#place(index, item);
  }

  #place(index: number, item: T): void {
    this.#items[index] = item;
    this.#indexes.set(item, index);
  }
}
