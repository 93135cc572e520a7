import { z } from 'zod';
import { AUDIT_ACTIONS } from '#domain/workspace/audit.ts';
import { SentInstant } from '#schemas/http/scalars.ts';
import { listAudit, MAX_PAGE_ENTRIES, type ListAuditOptions } from '#use-cases/list-audit.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { router, valueOf } from './procedure.ts';

const MAX_CURSOR_LENGTH = 500;

export function auditProcedures(member: MemberProcedure, options: ListAuditOptions) {
  return router({
    /** Who did what, newest first, for owners. A page may be short, and have a successor all the same. */
    list: member
      .input(
        z.object({
          limit: z.int().min(1).max(MAX_PAGE_ENTRIES).exactOptional(),
          cursor: z.string().max(MAX_CURSOR_LENGTH).nullish(),
          from: SentInstant.exactOptional(),
          to: SentInstant.exactOptional(),
          actions: z.array(z.enum(AUDIT_ACTIONS)).max(AUDIT_ACTIONS.length).exactOptional(),
          memberName: z.string().max(200).exactOptional(),
        }),
      )
      .query(async ({ ctx: { call }, input: { workspaceId: _, cursor, ...filter } }) =>
        valueOf(await listAudit(call, { ...filter, cursor: cursor ?? undefined }, options)),
      ),
  });
}
