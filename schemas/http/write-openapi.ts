import { writeFileSync } from 'node:fs';
import { openApiDocument } from './openapi.ts';
import { toolDefinitions } from './tool-definitions.ts';

// Run by hand after an addition: `npx node schemas/http/write-openapi.ts`. The tests beside it refuse anything but
// additions.
const write = (name: string, document: unknown) =>
  writeFileSync(new URL(name, import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
write('openapi.json', openApiDocument('/'));
write('tools.json', toolDefinitions());
