/** One call that would have published something: what, for whom, when it arrived. */
export type Arrival = readonly [text: string, account: string, at: number];

/** What arrived at the sink since it was last emptied, repeats included. */
export class Arrivals {
  #all: Arrival[] = [];
  #webhooks = 0;

  add(text: string, account: string, at: number): void {
    this.#all.push([text, account, at]);
  }

  addWebhook(): void {
    this.#webhooks++;
  }

  get all(): readonly Arrival[] {
    return this.#all;
  }

  get counts(): { readonly published: number; readonly webhooks: number } {
    return { published: this.#all.length, webhooks: this.#webhooks };
  }

  clear(): void {
    this.#all = [];
    this.#webhooks = 0;
  }
}
