import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express, Response } from 'express';
import { openApiDocument } from '#schemas/http/openapi.ts';

const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const INITIALIZER = `window.ui = SwaggerUIBundle({ url: 'openapi.json', dom_id: '#page', deepLinking: true, validatorUrl: null });\n`;

// Everything is loaded from this origin; the bundle styles its elements inline and draws icons from data addresses.
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** The page is at /developers, without a slash at its end: `base` resolves its relative addresses below that. */
function page(base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crier API</title>
<base href="${base}">
<link rel="icon" href="favicon-32x32.png">
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="initializer.js"></script>
</body>
</html>
`;
}

/**
 * GET /developers and its files. They need no key and are the same for every client. `publicUrl` is called at the first
 * request.
 */
export function addDeveloperPages(app: Express, publicUrl: () => string, requestId: () => string): readonly string[] {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  let document: string | null = null;
  const head = (response: Response, type: string) => {
    response.writeHead(200, {
      'Content-Type': type,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId(),
    });
  };
  app.get('/developers', (_request, response) => {
    head(response, 'text/html; charset=utf-8');
    response.end(page(`${new URL(publicUrl()).pathname.replace(/\/$/, '')}/developers/`));
  });
  app.get('/developers/openapi.json', (_request, response) => {
    document ??= JSON.stringify(openApiDocument(publicUrl()));
    head(response, 'application/json; charset=utf-8');
    response.end(document);
  });
  app.get('/developers/initializer.js', (_request, response) => {
    head(response, 'text/javascript; charset=utf-8');
    response.end(INITIALIZER);
  });
  for (const [name, type] of Object.entries(ASSETS)) {
    app.get(`/developers/${name}`, (_request, response) => {
      head(response, type);
      createReadStream(join(folder, name))
        .on('error', () => response.destroy())
        .pipe(response);
    });
  }
  return [
    '/developers',
    '/developers/openapi.json',
    '/developers/initializer.js',
    ...Object.keys(ASSETS).map((name) => `/developers/${name}`),
  ];
}
