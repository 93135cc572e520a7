import { createTopicConsumer, oneByOne } from '#consumer/topic-consumer.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import type { Workload } from '#consumer/workload.ts';
import type { CopyPicture, RemovePicture } from '#messages/messages.ts';
import { PortError } from '#ports/errors.ts';
import type { Service } from '#runtime/service.ts';
import { CHANNEL_PICTURES } from '#tables/declarations/topics.ts';
import { readChannels } from '#tables/repositories/workspaces.ts';
import { copyPicture, type CopyPictureOptions } from './copy-picture.ts';

export type PictureServiceOptions = ConsumerPorts & Omit<CopyPictureOptions, 'signal'>;

/** Pictures are small, and none is urgent: conversions of files for Posts go first. */
const CHANNELS_AT_ONCE = 2;

/**
 * Copies pictures of accounts, and deletes copies that no Channel names. Draining stops: what is under way is aborted
 * and not acknowledged, and the next owner of its partition begins it anew.
 */
export function createPictureService(options: PictureServiceOptions): Service & Workload {
  const ending = new AbortController();
  const consumer = createTopicConsumer(
    {
      name: 'channel-pictures',
      topic: CHANNEL_PICTURES,
      concurrency: CHANNELS_AT_ONCE,
      handle: oneByOne<CopyPicture | RemovePicture>((message) =>
        message.type === 'CopyPicture'
          ? copyPicture(message, { ...options, signal: ending.signal })
          : removePicture(message, options),
      ),
      onStart: async () => {
        await options.disk.remove(options.scratchFolder);
        await options.disk.makeFolder(options.scratchFolder);
      },
      onStop: () => ending.abort(new PortError('unavailable', 'this process is ending')),
    },
    options,
  );
  return { ...consumer, drain: () => consumer.stop() };
}

/** A copy that a Channel names stays, also if a record names it by mistake. Rejects with `PortError`. */
async function removePicture(
  { workspaceId, channelId, blob }: RemovePicture,
  { store, blobs }: PictureServiceOptions,
): Promise<void> {
  const channel = (await readChannels(store, workspaceId))[channelId];
  if (channel?.picture?.blob !== blob) await blobs.delete(blob);
}
