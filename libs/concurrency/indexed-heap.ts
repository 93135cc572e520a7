import { Heap } from './heap.ts';

/** A heap whose items can change their order or leave it. Each is in it once. */
export class IndexedHeap<T extends object> {
  readonly #indexes = new Map<T, number>();
  readonly #heap: Heap<T>;

  constructor(before: (a: T, b: T) => boolean) {
    this.#heap = new Heap(before, (item, index) => this.#indexes.set(item, index));
  }

  get size(): number {
    return this.#heap.size;
  }

  has(item: T): boolean {
    return this.#indexes.has(item);
  }

  peek(): T | undefined {
    return this.#heap.peek();
  }

  /** Adds the item, or moves it to where it belongs after its order has changed. */
  put(item: T): void {
    const index = this.#indexes.get(item);
    if (index === undefined) this.#heap.push(item);
    else this.#heap.moved(index);
  }

  delete(item: T): void {
    const index = this.#indexes.get(item);
    if (index === undefined) return;
    this.#indexes.delete(item);
    this.#heap.removeAt(index);
  }
}
