import type { Config } from '#config/config.ts';
import type { KnownNames } from '#reporting/series.ts';
import { OPERATIONS } from '#schemas/http/operations.ts';
import { TOOLS } from '#schemas/http/tools.ts';
import { ADMIN_PROCEDURES } from '#services/admin/client.ts';
import { workloadsOf, type ProcessRoles } from './process-roles.ts';

/**
 * What labels of this process's metrics will say, as far as its roles tell: their series are there at 0 before the
 * first event, which Prometheus then sees as an increase. Of errors that is 5xx, for which somebody is called.
 */
export function knownSeriesOf({ roles: names }: Pick<Config, 'roles'>, roles: ProcessRoles): KnownNames {
  return {
    group: workloadsOf(roles).map(({ name }) => name),
    ...(names.includes('ingress') && {
      'crier_http_request_duration_seconds operation': OPERATIONS.map(({ id }) => id),
      'crier_http_request_duration_seconds status_class': ['2xx', '5xx'],
      tool: TOOLS.map(({ name }) => name),
      'crier_mcp_tool_calls_total outcome': ['ok'],
    }),
    ...(names.includes('admin') && {
      'crier_admin_calls_total procedure': [...ADMIN_PROCEDURES],
      'crier_admin_calls_total outcome': ['ok'],
    }),
  };
}
