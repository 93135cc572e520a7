import type { BugsOfRoom } from '../planted-bug.ts';

const ADAPTER = 'services/app/oauth/adapter.ts';
const ADAPTER_TEST = 'services/app/oauth/adapter.test.ts';
const TOKENS_TEST = 'services/app/oauth/tokens.test.ts';
const RECORDS_TEST = 'services/app/oauth/record-store.test.ts';
const AUTHENTICATE_TEST = 'services/ingress/authenticate.test.ts';
const PEOPLE_TEST = 'services/app/people/people.test.ts';

export const ACCESS: BugsOfRoom = {
  room: 'OAuth, sessions and keys',
  bugs: [
    {
      name: 'A code is good a second time',
      edits: [
        {
          file: ADAPTER,
          find: "throw new errors.InvalidGrant('it was used already');",
          replace: "if (consumption.outcome === 'gone') throw new errors.InvalidGrant('it was used already');",
        },
        {
          file: ADAPTER,
          find: "return model === 'RefreshToken' && clock.now()",
          replace: 'return clock.now()',
        },
      ],
      suite: 'services/app/oauth/attacks.test.ts',
    },
    {
      name: 'Two replicas both use a code up',
      edits: [
        {
          file: 'services/app/oauth/record-store.ts',
          find: 'if (firstAt !== null) return null;',
          replace: 'if (firstAt !== null && firstAt < this.#options.clock.now() - 1_000) return null;',
        },
      ],
      suite: RECORDS_TEST,
    },
    {
      name: 'A code used twice does not end its approval',
      edits: [
        {
          file: ADAPTER,
          find: 'if (entry?.approvalId != null) await approvals.end(entry.approvalId);',
          replace: '',
        },
      ],
      suite: ADAPTER_TEST,
    },
    {
      name: 'Codes and refresh tokens of a revoked approval are found',
      edits: [
        {
          file: 'services/app/oauth/approvals.ts',
          find: 'return approval === null || approval.revoked ? null : approval;',
          replace: 'return approval;',
        },
      ],
      suite: TOKENS_TEST,
    },
    {
      name: 'An access token of a revoked approval works',
      edits: [
        {
          file: 'services/ingress/authenticate.ts',
          find: 'if (access === null || access.approval.revoked) return UNKNOWN[resource];',
          replace: 'if (access === null) return UNKNOWN[resource];',
        },
      ],
      suite: 'services/ingress/mcp/gate.test.ts',
    },
    {
      name: 'A revoked key is let in',
      edits: [
        {
          file: 'services/ingress/authenticate.ts',
          find: 'if (credential === null || credential.revoked) return UNKNOWN.api;',
          replace: 'if (credential === null) return UNKNOWN.api;',
        },
      ],
      suite: AUTHENTICATE_TEST,
    },
    {
      name: 'An access token works after its end',
      edits: [
        {
          file: 'services/ingress/authenticate.ts',
          find: 'if (access.expiresAt <= clock.now()) return EXPIRED;',
          replace: '',
        },
      ],
      suite: AUTHENTICATE_TEST,
    },
    {
      name: 'A token for the MCP endpoint opens the REST API',
      edits: [
        {
          file: 'services/ingress/authenticate.ts',
          find: 'if (withoutSlash(access.resource) !== wanted) return otherResource(wanted);',
          replace: '',
        },
      ],
      suite: 'services/ingress/mcp/gate.test.ts',
    },
    {
      name: 'A token may do all that its approval allows, whatever was asked for',
      edits: [
        {
          file: 'services/ingress/authenticate.ts',
          find: 'PERMISSIONS.filter((one) => permissions.includes(one) && approval.permissions.includes(one)),',
          replace: 'PERMISSIONS.filter((one) => permissions.length >= 0 && approval.permissions.includes(one)),',
        },
      ],
      suite: AUTHENTICATE_TEST,
    },
    {
      name: 'A session works after its end',
      edits: [
        {
          file: 'services/app/people/sessions.ts',
          find: 'if (session === null || session.expiresAt <= now) return null;',
          replace: 'if (session === null) return null;',
        },
      ],
      suite: PEOPLE_TEST,
    },
    {
      name: 'A link signs in twice',
      edits: [
        {
          file: 'services/app/people/link-sign-in.ts',
          find: "if (usedFor !== null && !(await sessions.neverBegins(email, usedFor.sessionHash))) return { kind: 'used', email };",
          replace: '',
        },
      ],
      suite: 'services/app/people/link-sign-in.test.ts',
    },
    {
      name: 'A session is made before the link is used up',
      edits: [
        {
          file: 'services/app/people/link-sign-in.ts',
          find: "if (!(await links.use(token, link, secret.hash))) return { kind: 'used', email }; if (!(await sessions.begin(secret, email, browser))) return { kind: 'used', email };",
          replace:
            "if (!(await sessions.begin(secret, email, browser))) return { kind: 'used', email };\n    if (!(await links.use(token, link, secret.hash))) return { kind: 'used', email };",
        },
      ],
      suite: 'services/app/people/link-sign-in.test.ts',
    },
  ],
};
