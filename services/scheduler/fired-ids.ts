import { postIdOfVariant } from '#domain/post/ids.ts';
import type { Message } from '#messages/messages.ts';

/** What the timers that fire together are about, for the log. */
export class FiredIds {
  readonly #postIds = new Set<string>();
  readonly #deliveryIds = new Set<string>();

  add(message: Message): void {
    if (message.type === 'VariantsDue') for (const { postId } of message.posts) this.#postIds.add(postId);
    else if ('variantId' in message) this.#postIds.add(postIdOfVariant(message.variantId));
    else if (message.type === 'PrepareMedia') this.#postIds.add(message.postId);
    else if (message.type === 'DeliverEvent') this.#deliveryIds.add(message.deliveryId);
  }

  facts(): { readonly postIds: readonly string[]; readonly deliveryIds: readonly string[] } {
    return { postIds: [...this.#postIds], deliveryIds: [...this.#deliveryIds] };
  }
}
