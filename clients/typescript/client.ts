import type { Attempt, Channel, ChannelOptionsAnswer, Delivery, Endpoint, NewEndpoint, Usage, Variant } from './api.ts';
import { Media } from './media.ts';
import { Posts, type CallOptions } from './posts.ts';
import { isAfterUncertainAttempt, Transport, type TransportOptions } from './transport.ts';

export type * from './api.ts';
export { CrierError } from './crier-error.ts';
export { verifyWebhook, WebhookSignatureError, type WebhookDelivery } from './verify-webhook.ts';
export type { BulkCallOptions, BulkProgress } from './bulk.ts';
export type { UploadOptions, UploadProgress } from './media.ts';
export type { OutcomeOptions } from './outcome.ts';
export type { CallOptions, CreateOptions, PostFilter, PostInput, PostPage } from './posts.ts';
export type { RetryNotice, TransportOptions } from './transport.ts';
export type { UploadSource } from './upload-source.ts';

/** A client of one Crier, acting by one key. It holds no connection of its own and may live as long as the program. */
export function createCrier(options: TransportOptions): Crier {
  return new Crier(new Transport(options));
}

/**
 * What one key may do, by resource. Calls wait as Retry-After says and are repeated after failures that pass; they
 * reject with CrierError.
 */
export class Crier {
  readonly channels: Channels;
  readonly posts: Posts;
  readonly variants: Variants;
  readonly media: Media;
  readonly webhooks: Webhooks;
  readonly usage: UsageOfPlan;

  constructor(transport: Transport) {
    this.channels = new Channels(transport);
    this.posts = new Posts(transport);
    this.variants = new Variants(transport);
    this.media = new Media(transport);
    this.webhooks = new Webhooks(transport);
    this.usage = new UsageOfPlan(transport);
  }
}

class Resource {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }
}

class Channels extends Resource {
  /** The Workspace's live Channels, oldest first. */
  async list({ signal }: CallOptions = {}): Promise<readonly Channel[]> {
    return (await this.transport.send<{ data: readonly Channel[] }>('list-channels', { signal })).body.data;
  }

  /** The defaults of a Channel, and what its Network lets the account choose right now. */
  async options(id: string, { signal }: CallOptions = {}): Promise<ChannelOptionsAnswer> {
    const call = { path: { id }, signal };
    return (await this.transport.send<{ data: ChannelOptionsAnswer }>('get-channel-options', call)).body.data;
  }
}

class Variants extends Resource {
  /** Queues a failed Variant again. A retry whose answer is lost is not sent a second time: read the Post then. */
  async retry(id: string, { signal }: CallOptions = {}): Promise<Variant> {
    const call = { path: { id }, signal, repeatable: false };
    return (await this.transport.send<{ data: Variant }>('retry-variant', call)).body.data;
  }

  /** What was tried to publish a Variant, step by step. */
  async attempts(id: string, { signal }: CallOptions = {}): Promise<readonly Attempt[]> {
    const call = { path: { id }, signal };
    return (await this.transport.send<{ data: readonly Attempt[] }>('list-attempts', call)).body.data;
  }
}

class Webhooks extends Resource {
  /** Has events told to an address. The answer has the secret, which is shown this once. */
  async create(
    endpoint: { readonly url: string; readonly events: NewEndpoint['events'] },
    { signal }: CallOptions = {},
  ): Promise<NewEndpoint> {
    const call = { body: endpoint, signal, repeatable: false };
    return (await this.transport.send<{ data: NewEndpoint }>('register-endpoint', call)).body.data;
  }

  /** The endpoints with their latest deliveries. */
  async list({ signal }: CallOptions = {}): Promise<readonly Endpoint[]> {
    return (await this.transport.send<{ data: readonly Endpoint[] }>('list-endpoints', { signal })).body.data;
  }

  async remove(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.transport.send('delete-endpoint', { path: { id }, signal }).catch((error: unknown) => {
      // Then it was the first attempt, whose answer was lost, that removed it.
      if (!isAfterUncertainAttempt(error) || error.code !== 'not_found') throw error;
    });
  }

  /** Tells the endpoint of something that never happened. */
  async test(id: string, { signal }: CallOptions = {}): Promise<Delivery> {
    const call = { path: { id }, signal, repeatable: false };
    return (await this.transport.send<{ data: Delivery }>('send-test-event', call)).body.data;
  }

  /** Another secret; the one of before signs beside it for 24 hours. */
  async rotateSecret(id: string, { signal }: CallOptions = {}): Promise<NewEndpoint> {
    const call = { path: { id }, signal, repeatable: false };
    return (await this.transport.send<{ data: NewEndpoint }>('rotate-endpoint-secret', call)).body.data;
  }

  /** Delivers an event again, with the same event id. */
  async replay(id: string, deliveryId: string, { signal }: CallOptions = {}): Promise<Delivery> {
    const call = { path: { id, deliveryId }, signal, repeatable: false };
    return (await this.transport.send<{ data: Delivery }>('replay-delivery', call)).body.data;
  }
}

class UsageOfPlan extends Resource {
  /** The Plan's limits, and what is used of them. */
  async get({ signal }: CallOptions = {}): Promise<Usage> {
    return (await this.transport.send<{ data: Usage }>('get-usage', { signal })).body.data;
  }
}
