import { writeFileSync } from 'node:fs';
import { openApiDocument } from './openapi.ts';

// Run by hand after an addition: `npx node schemas/http/write-openapi.ts`. The test beside it refuses anything but
// additions.
writeFileSync(new URL('openapi.json', import.meta.url), `${JSON.stringify(openApiDocument('/'), null, 2)}\n`);
