import { lines, stack, type Dashboard } from '../panel.ts';
import { increased, movedPerSecond, perSecond, quantile, quantiles, sumOf } from '../queries.ts';

const REST = 'crier_http_request_duration_seconds';
const APP = 'crier_app_call_duration_seconds';
const TOOLS = 'crier_mcp_tool_calls_total';

/** Where requests come in: the API, MCP, the app and the operators. */
export const DOORS: Dashboard = {
  name: 'doors',
  title: 'Crier: API, MCP and app',
  description: 'Requests by the door that they came in by, how they were answered, and who was turned away.',
  rows: [
    {
      title: 'REST API',
      panels: [
        stack('Requests', 'ops', [perSecond(REST, { by: ['status_class'] })], {
          description: 'Requests a second, by class of the status.',
          heading: 'Answers are 5xx',
        }),
        stack('Failed requests', 'ops', [movedPerSecond(REST, { by: ['operation'], where: ['status_class="5xx"'] })], {
          description:
            'Operations that were answered with 5xx. 503 unavailable did nothing, outcome_unknown may have; any other is a defect.',
          heading: 'Answers are 5xx',
        }),
        stack('Refused requests', 'ops', [movedPerSecond(REST, { by: ['operation'], where: ['status_class="4xx"'] })], {
          description: 'Operations that were answered with 4xx: clients that ask for what can not be.',
        }),
        lines('Duration', 's', quantiles(REST), {
          description: 'How long requests took. Writes wait for a turn of their Workspace, reads for the tables.',
        }),
        lines('Duration by operation', 's', [quantile(0.95, REST, { by: ['operation'] })], {
          description: 'How long requests of each operation took, in 95 of 100 cases.',
        }),
        lines('Under way', 'short', [sumOf('crier_http_requests_in_flight', { by: ['pod'] })], {
          description: 'Requests that are being answered now, at all doors, with streams that are open.',
        }),
        lines('Requests by operation', 'ops', [movedPerSecond(REST, { by: ['operation'] })], {
          ...{ description: 'What clients do, a second.', width: 12 },
        }),
        lines(
          'Over the rate, and repeated',
          'ops',
          [
            perSecond('crier_requests_rate_limited_total', { legend: 'over the rate' }),
            perSecond('crier_idempotent_replays_total', { legend: 'same Idempotency-Key' }),
          ],
          {
            description:
              'Requests that were refused because their credential had used up its rate limit, and those that were answered with the Post of the first request.',
            width: 12,
          },
        ),
      ],
    },
    {
      title: 'MCP',
      panels: [
        lines('Calls of tools', 'ops', [movedPerSecond(TOOLS, { by: ['tool'] })], {
          description: 'What assistants do, a second.',
        }),
        stack('Calls that failed', 'ops', [perSecond(TOOLS, { by: ['outcome'], where: ['outcome!="ok"'] })], {
          description: 'Calls of tools by the code of their error, as of the same operation of the API.',
        }),
        lines('Duration of a call', 's', [quantile(0.95, 'crier_mcp_tool_call_duration_seconds', { by: ['tool'] })], {
          description: 'How long calls of each tool took, in 95 of 100 cases.',
        }),
        stack('Turned away', 'ops', [movedPerSecond('crier_mcp_requests_refused_total', { by: ['reason'] })], {
          description:
            'Requests to /mcp that were refused before the protocol saw them. token_missing is how every client begins; host and origin are a proxy that changes them.',
          width: 24,
        }),
      ],
    },
    {
      title: 'Apps that are connected',
      panels: [
        lines('Consents', 'short', [increased('crier_app_consents_total', { by: ['outcome', 'registered'] })], {
          description: 'Decisions of Members about an app, and whether it registered itself or is named by a document.',
        }),
        lines('Tokens issued', 'short', [increased('crier_app_tokens_issued_total', { by: ['grant_type'] })], {
          description: 'Answers with an access token. Consents without tokens: apps can not reach /oauth/token.',
          heading: "When an app's access has to end",
        }),
        lines(
          'Refused',
          'short',
          [
            increased('crier_oauth_refusals_total', { by: ['endpoint', 'error'] }),
            increased('crier_app_registrations_total', { by: ['outcome'], legend: 'registration {{outcome}}' }),
          ],
          {
            description:
              'Requests that the authorization server refused, by the error of OAuth, and requests of apps to register themselves.',
            heading: "When an app's access has to end",
          },
        ),
      ],
    },
    {
      title: 'The app and its people',
      panels: [
        stack('Calls of pages', 'ops', [perSecond(APP, { by: ['code'] })], {
          description: 'Calls of the app’s pages, by code of the answer.',
        }),
        lines('Duration by procedure', 's', [quantile(0.95, APP, { by: ['procedure'] })], {
          description: 'How long calls of each procedure took, in 95 of 100 cases.',
        }),
        lines('Sign-ins', 'short', [increased('crier_sign_ins_total', { by: ['outcome'] })], {
          description:
            'Links to sign in that were used, by what came of them. Many used: a program that checks mail also presses buttons.',
        }),
        lines('Links mailed', 'short', [increased('crier_sign_in_links_total', { by: ['purpose', 'outcome'] })], {
          description:
            'failed: the mail server refuses, or can not be reached, and nobody can sign in. limited: too many were asked for.',
        }),
        lines('Sessions ended', 'short', [increased('crier_sessions_ended_total', { by: ['cause'] })], {
          description: 'Sessions of browsers that were ended, by cause.',
        }),
        lines(
          'Foreign forms and calls',
          'short',
          [
            increased('crier_forms_refused_total', { legend: 'forms' }),
            increased('crier_app_foreign_calls_total', { legend: 'calls' }),
          ],
          {
            description:
              'What no page of this installation sent. Of everybody at once: CRIER_PUBLIC_URL is not the address that people use.',
          },
        ),
        lines('Refused without a credential', 'short', [increased('crier_strangers_refused_total', { by: ['door'] })], {
          description:
            'Requests without a valid credential, from addresses that had sent too many. Of everybody at once: CRIER_TRUSTED_PROXIES does not name the proxy, whose address then counts for all.',
        }),
      ],
    },
    {
      title: 'Operators and payments',
      panels: [
        lines('Calls of operators', 'short', [increased('crier_admin_calls_total', { by: ['procedure', 'outcome'] })], {
          description: 'Procedures that operators called. The audit says who.',
          ...{ heading: 'Who may operate, and who did', width: 12 },
        }),
        lines('Notices of payments', 'short', [increased('crier_payment_notices_total', { by: ['outcome'] })], {
          description: 'Notices of the payment service. forged: not signed by it. Empty where no payments are taken.',
          width: 12,
        }),
      ],
    },
  ],
};
