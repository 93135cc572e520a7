import type { Express, Request, Response } from 'express';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import { METADATA_PATH, resourceOf, type ResourceName } from '../resources.ts';

/** Clients look at the root where they do not find the document of the address they were given. */
const DOCUMENTS: Readonly<Record<string, ResourceName>> = {
  [METADATA_PATH]: 'mcp',
  [`${METADATA_PATH}/mcp`]: 'mcp',
  [`${METADATA_PATH}/api`]: 'api',
};

const NAMES: Readonly<Record<ResourceName, string>> = { mcp: 'Crier MCP server', api: 'Crier REST API' };

/** The metadata of what apps' tokens are for (RFC 9728): it tells a client which authorization server to ask. */
export function addResourceMetadata(
  app: Express,
  { publicUrl, requestId }: { readonly publicUrl: () => string; readonly requestId: () => string },
): readonly string[] {
  for (const [path, name] of Object.entries(DOCUMENTS)) {
    const headers = () => ({
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': 'public, max-age=3600',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId(),
    });
    app.get(path, (_request: Request, response: Response) => {
      const base = publicUrl().replace(/\/$/, '');
      const document = {
        resource: resourceOf(name, base),
        authorization_servers: [base],
        scopes_supported: PERMISSIONS,
        bearer_methods_supported: ['header'],
        resource_name: NAMES[name],
        resource_documentation: `${base}/developers`,
      };
      response.writeHead(200, { ...headers(), 'Content-Type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify(document));
    });
    app.options(path, (request: Request, response: Response) => {
      const asked = request.headers['access-control-request-headers'];
      response.writeHead(204, {
        ...headers(),
        Allow: 'GET, HEAD, OPTIONS',
        'Access-Control-Allow-Methods': 'GET',
        ...(asked !== undefined && { 'Access-Control-Allow-Headers': '*, MCP-Protocol-Version' }),
      });
      response.end();
    });
  }
  return Object.keys(DOCUMENTS);
}
