import { isPassing, problemOf } from '../../server/problem.ts';
import { server } from '../../server/server.ts';
import type { ComposeSessionOptions } from './compose-session.ts';
import { sendFile } from './uploads/send-file.ts';
import { untilNextTry } from './uploads/until-next-try.ts';

/** Uploads into one Workspace, by the procedures of Members. */
export function uploadsInto(workspaceId: string): ComposeSessionOptions['uploads'] {
  return {
    reserve: ({ name, type, size }) =>
      server.media.reserve.mutate({ workspaceId, file: { filename: name, contentType: type, bytes: size } }),
    complete: async (assetId) => void (await server.media.complete.mutate({ workspaceId, assetId })),
    remove: async (assetId) => void (await server.media.remove.mutate({ workspaceId, assetId })),
    send: sendFile,
    problemOf: (error) => {
      const { code, message } = problemOf(error);
      return { code, message, isPassing: isPassing(error) || code === 'rate_limited' };
    },
    untilNextTry,
  };
}
