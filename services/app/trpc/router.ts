import type { ListAuditOptions } from '#use-cases/list-audit.ts';
import { appProcedures, keyProcedures, type AccessProceduresOptions } from './access.ts';
import {
  sessionProcedures,
  sessionsProcedures,
  workspaceProcedures,
  type AccountProceduresOptions,
} from './account.ts';
import { auditProcedures } from './audit.ts';
import { channelProcedures, type ChannelProceduresOptions } from './channels.ts';
import { eventProcedure, missedProcedure, type EventProceduresOptions } from './events.ts';
import { memberProcedureOf, type MemberProcedureOptions } from './member-procedure.ts';
import { memberProcedures, type MemberProceduresOptions } from './members.ts';
import { creditProcedures, planProcedures, usageProcedures, type PlanProceduresOptions } from './plan.ts';
import { postProcedures, variantProcedures, type PostProceduresOptions } from './posts.ts';
import { router } from './procedure.ts';
import { mediaProcedures, type MediaProceduresOptions } from './media.ts';
import { sandboxProcedures, type SandboxProceduresOptions } from './sandbox.ts';
import { webhookProcedures, type WebhookProceduresOptions } from './webhooks.ts';
import { publishingProcedures, type PublishingProceduresOptions } from './publishing.ts';

export type AppRouterOptions = MemberProcedureOptions &
  AccountProceduresOptions &
  MemberProceduresOptions &
  AccessProceduresOptions &
  PlanProceduresOptions &
  PublishingProceduresOptions &
  ListAuditOptions &
  ChannelProceduresOptions &
  PostProceduresOptions &
  MediaProceduresOptions &
  WebhookProceduresOptions &
  EventProceduresOptions &
  SandboxProceduresOptions;

/** Every procedure of Members, for the app's pages. The server that serves them knows who is signed in. */
export function createAppRouter(options: AppRouterOptions) {
  const member = memberProcedureOf(options);
  return router({
    session: sessionProcedures(options),
    sessions: sessionsProcedures(options),
    workspaces: workspaceProcedures(member, options),
    members: memberProcedures(member, options),
    channels: channelProcedures(member, options),
    keys: keyProcedures(member, options),
    apps: appProcedures(member, options),
    posts: postProcedures(member, options),
    variants: variantProcedures(member, options),
    media: mediaProcedures(member, options),
    webhooks: webhookProcedures(member, options),
    publishing: publishingProcedures(member, options),
    usage: usageProcedures(member, options),
    plan: planProcedures(member, options),
    credits: creditProcedures(member, options),
    events: eventProcedure(member, options),
    missed: missedProcedure(member, options),
    audit: auditProcedures(member, options),
    sandbox: sandboxProcedures(member, options),
  });
}

export type AppRouter = ReturnType<typeof createAppRouter>;
