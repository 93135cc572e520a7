import type { RequestedCommand } from '#domain/workspace/commands.ts';
import type { PostBody, VariantBody } from '#domain/post/render.ts';
import type { Credential } from '#domain/workspace/request-envelope.ts';
import type { Result } from '#domain/workspace/results.ts';
import { PERMISSIONS, type Member, type Permission } from '#domain/workspace/state.ts';
import { accountIdOf } from '#domain/account.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import type { ApiCall } from '#use-cases/caller.ts';
import { done, settled, type UseCaseResult } from '#use-cases/outcome.ts';
import { requestEnvelopeOf, submitCommand, type AcceptedCommand } from '#use-cases/submit-command.ts';
import { cancelPost } from '#use-cases/cancel-post.ts';
import { createPostsInBulk, type BulkItem } from '#use-cases/create-posts-in-bulk.ts';
import { createPost, createPostCommand, type CreatedPost } from '#use-cases/create-post.ts';
import { Pools } from '#concurrency/pools.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import { Readable } from 'node:stream';
import type { CompletedFile } from '#domain/workspace/results.ts';
import { receiveFile } from '#services/ingress/uploads/receive-file.ts';
import { completeMediaUpload } from '#use-cases/complete-media-upload.ts';
import { createMediaUpload, type MediaUploadBody } from '#use-cases/create-media-upload.ts';
import { movePost, replacePost, type MovePostInput, type ReplacePostInput } from '#use-cases/replace-post.ts';
import { removeMediaUpload } from '#use-cases/remove-media-upload.ts';
import { uploadAddresses } from './files/process-files.ts';
import type { CreateMediaUploadInput } from '#schemas/http/media-requests.ts';
import type { DeliveryBody } from '#domain/webhook/render.ts';
import { deleteEndpoint } from '#use-cases/delete-endpoint.ts';
import type { EndpointWithSecret } from '#use-cases/endpoints.ts';
import { createInspections } from '#use-cases/inspect-media.ts';
import { registerEndpoint } from '#use-cases/register-endpoint.ts';
import { replayDelivery } from '#use-cases/replay-delivery.ts';
import { retryVariant } from '#use-cases/retry-variant.ts';
import { rotateEndpointSecret } from '#use-cases/rotate-endpoint-secret.ts';
import { sendTestEvent } from '#use-cases/send-test-event.ts';
import type { RegisterEndpointInput } from '#schemas/http/webhook-requests.ts';
import type { Process, World } from './world.ts';

export interface Workspace {
  readonly id: string;
  readonly keyId: string;
  /** The Member who founded it. */
  readonly ownerId: string;
  readonly ownerEmail: string;
  /** In place of the key. */
  readonly credential?: Credential;
  /** What the credential may do, as far as a door goes by it; left out: everything. */
  readonly permissions?: readonly Permission[];
  /** Network -> Channel. */
  readonly channels: Readonly<Record<'x' | 'threads', string>>;
  readonly accounts: Readonly<Record<'x' | 'threads', string>>;
}

/** `null`: no answer in time. */
export type CallerAnswer<T> = UseCaseResult<T> | null;

/** A command, without what every request has. */
export type Draft = RequestedCommand extends infer C
  ? C extends RequestedCommand
    ? Omit<C, 'requestId' | 'issuedAt' | 'notAfter' | 'replyTo' | 'credential'>
    : never
  : never;

/** A client gives up a little after the service would have answered that the outcome is unknown. */
const PATIENCE_MS = 15_000;
const UPLOADS_URL = 'https://crier.test';

/** A client outside of the service, which calls any ingress that answers; the ingress may crash during the call. */
export class SimulatedCaller {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  pause(ms: number): Promise<void> {
    return this.#world.engine.pass({ label: 'caller', owner: null, delayMs: ms });
  }

  create(
    workspace: Workspace,
    input: CreatePostInput,
    idempotencyKey: string | null,
  ): Promise<CallerAnswer<CreatedPost>> {
    return this.#at((ingress) => createPost(this.#call(ingress, workspace), input, idempotencyKey, optionsOf(ingress)));
  }

  /** `posts`: as clients send them. */
  createInBulk(
    workspace: Workspace,
    posts: readonly unknown[],
    isDry: boolean,
  ): Promise<CallerAnswer<readonly BulkItem[]>> {
    return this.#at((ingress) =>
      createPostsInBulk(this.#call(ingress, workspace), posts, isDry, {
        ...{ ...optionsOf(ingress), slices: new TimeSlices(ingress) },
      }),
    );
  }

  replace(workspace: Workspace, postId: string, input: ReplacePostInput): Promise<CallerAnswer<CreatedPost>> {
    return this.#at((ingress) => replacePost(this.#call(ingress, workspace), postId, input, optionsOf(ingress)));
  }

  move(workspace: Workspace, postId: string, input: MovePostInput): Promise<CallerAnswer<CreatedPost>> {
    return this.#at((ingress) => movePost(this.#call(ingress, workspace), postId, input, optionsOf(ingress)));
  }

  cancel(workspace: Workspace, postId: string): Promise<CallerAnswer<PostBody>> {
    return this.#at((ingress) => cancelPost(this.#call(ingress, workspace), postId, optionsOf(ingress)));
  }

  retry(workspace: Workspace, variantId: string): Promise<CallerAnswer<VariantBody>> {
    return this.#at((ingress) => retryVariant(this.#call(ingress, workspace), variantId, optionsOf(ingress)));
  }

  reserveUpload(workspace: Workspace, input: CreateMediaUploadInput): Promise<CallerAnswer<MediaUploadBody>> {
    return this.#at((ingress) =>
      createMediaUpload(this.#call(ingress, workspace), input, {
        ...{ ...optionsOf(ingress), uploadAddresses, publicUrl: () => UPLOADS_URL },
      }),
    );
  }

  /** Sends a file to the address of its upload, as one request. Null also where it broke off. */
  sendFile(uploadUrl: string, content: Readable): Promise<CallerAnswer<null>> {
    const { pathname, searchParams } = new URL(uploadUrl);
    const offer = uploadAddresses.open(pathname.split('/').at(-1)!, Object.fromEntries(searchParams));
    if (offer === null) throw new Error(`${uploadUrl} opens nothing`);
    return this.#at((ingress) =>
      receiveFile(offer, content, { ...ingress.factory.ingressPorts, uploads: ingress.factory.uploads }),
    ).catch(() => null);
  }

  completeUpload(workspace: Workspace, assetId: string): Promise<CallerAnswer<CompletedFile>> {
    return this.#at((ingress) =>
      completeMediaUpload(this.#call(ingress, workspace), assetId, {
        ...{ ...optionsOf(ingress), judge: ingress.files!.judge, turns: ingress.files!.turns },
      }),
    );
  }

  removeUpload(workspace: Workspace, assetId: string): Promise<CallerAnswer<null>> {
    return this.#at((ingress) => removeMediaUpload(this.#call(ingress, workspace), assetId, optionsOf(ingress)));
  }

  registerEndpoint(workspace: Workspace, input: RegisterEndpointInput): Promise<CallerAnswer<EndpointWithSecret>> {
    return this.#at((ingress) => registerEndpoint(this.#call(ingress, workspace), input, optionsOf(ingress)));
  }

  deleteEndpoint(workspace: Workspace, endpointId: string): Promise<CallerAnswer<null>> {
    return this.#at((ingress) => deleteEndpoint(this.#call(ingress, workspace), endpointId, optionsOf(ingress)));
  }

  rotateEndpointSecret(workspace: Workspace, endpointId: string): Promise<CallerAnswer<EndpointWithSecret>> {
    return this.#at((ingress) => rotateEndpointSecret(this.#call(ingress, workspace), endpointId, optionsOf(ingress)));
  }

  sendTestEvent(workspace: Workspace, endpointId: string): Promise<CallerAnswer<DeliveryBody>> {
    return this.#at((ingress) => sendTestEvent(this.#call(ingress, workspace), endpointId, optionsOf(ingress)));
  }

  replayDelivery(workspace: Workspace, endpointId: string, deliveryId: string): Promise<CallerAnswer<DeliveryBody>> {
    return this.#at((ingress) =>
      replayDelivery(this.#call(ingress, workspace), endpointId, deliveryId, optionsOf(ingress)),
    );
  }

  /** The command that creating would send, to be sent by `send` any number of times. Null: no ingress answers. */
  createCommand(workspace: Workspace, input: CreatePostInput): RequestedCommand | null {
    const ingress = this.#ingress();
    return (
      ingress &&
      createPostCommand(
        this.#call(ingress, workspace),
        input,
        { idempotencyKey: null, dryRun: false },
        optionsOf(ingress),
      )
    );
  }

  /** Null: no answer in time, or certainly not appended. */
  send(command: RequestedCommand): Promise<Result | null> {
    return this.#at(
      async (ingress) => (await ingress.factory.ingressPorts.request({ ...command, replyTo: ingress.name })).result,
    ).catch((error: unknown) => {
      this.#world.trace.add(this.#world.engine.now, 'caller', `could not send ${command.type}: ${String(error)}`);
      return null;
    });
  }

  /** As an operator. */
  tell(draft: Draft): Promise<Result | null> {
    const ingress = this.#ingress();
    if (ingress === null) return Promise.resolve(null);
    const issuedAt = ingress.clock.now();
    const stamped = {
      requestId: ingress.ids.uuid7(issuedAt),
      issuedAt,
      notAfter: issuedAt + 60_000,
      replyTo: ingress.name,
      credential: null,
    };
    return this.send({ ...draft, ...stamped } as RequestedCommand);
  }

  /** In person, or by what `workspace` names in place of its key: as the app's procedures send a command. */
  ask(workspace: Workspace, draft: Draft): Promise<CallerAnswer<{ readonly result: AcceptedCommand }>> {
    return this.#at((ingress) => {
      const options = optionsOf(ingress);
      const envelope = requestEnvelopeOf(this.#call(ingress, workspace), options);
      return submitCommand({ ...draft, ...envelope } as RequestedCommand, options);
    });
  }

  /** The row by which the app finds the Member behind an account; null in it: the account is none. */
  membership({ id }: Workspace, email: string): Promise<CallerAnswer<Membership | null>> {
    return this.#at((ingress) =>
      settled('read', async () => {
        const all = await ingress.memberships(accountIdOf(email));
        return done(all.find(({ workspaceId, removed }) => workspaceId === id && !removed) ?? null);
      }),
    );
  }

  /** As the app lists them: those who are present. */
  members({ id }: Workspace): Promise<CallerAnswer<readonly Member[]>> {
    return this.#at((ingress) =>
      settled('read', async () => {
        const state = await ingress.factory.ingressPorts.workspaces.state(id);
        return done(Object.values(state?.members ?? {}).filter(({ removed }) => !removed));
      }),
    );
  }

  /** Runs at some ingress that is up; resolves to null when it takes too long or crashes, or when there is none. */
  async #at<T>(work: (ingress: Process) => Promise<T>): Promise<T | null> {
    const ingress = this.#ingress();
    if (ingress === null) return null;
    const { promise: over, resolve } = Promise.withResolvers<null>();
    const cancel = this.#world.engine.later({ label: 'caller gives up', owner: null, delayMs: PATIENCE_MS }, () =>
      resolve(null),
    );
    try {
      return await Promise.race([work(ingress), over]);
    } finally {
      cancel();
    }
  }

  #ingress(): Process | null {
    const up = this.#world.up('ingress');
    return up.length === 0 ? null : this.#world.engine.pick(up);
  }

  #call(ingress: Process, { id, keyId, permissions = PERMISSIONS, ...by }: Workspace): ApiCall {
    const { credential = { kind: 'key', keyId } } = by;
    return {
      workspaceId: id,
      credential,
      permissions,
      requestId: ingress.ids.uuid7(ingress.clock.now()),
      origin: { door: credential.kind === 'member' ? 'app' : 'api', address: null },
      signal: new AbortController().signal,
    };
  }
}

function optionsOf(ingress: Process) {
  return {
    ...ingress.factory.ingressPorts,
    videosOff: async () => null,
    replyTo: ingress.name,
    inspections: createInspections(new Pools(ingress)),
    addressLimiter: null,
  };
}
