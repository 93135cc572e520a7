const MAX_KEPT = 20_000;

/**
 * The attempts whose verdict this process has told their Workspace, durably; the oldest are forgotten. Jobs come more
 * than once: after a backlog there is one of each watchdog that fired meanwhile, and none of them needs to be told
 * again.
 */
export class ConcludedAttempts {
  readonly #keys = new Set<string>();

  has(attempt: { readonly variantId: string; readonly attempt: number }): boolean {
    return this.#keys.has(keyOf(attempt));
  }

  add(attempt: { readonly variantId: string; readonly attempt: number }): void {
    this.#keys.add(keyOf(attempt));
    const [oldest] = this.#keys;
    if (this.#keys.size > MAX_KEPT) this.#keys.delete(oldest!);
  }
}

function keyOf({ variantId, attempt }: { readonly variantId: string; readonly attempt: number }): string {
  return `${variantId} ${attempt}`;
}
